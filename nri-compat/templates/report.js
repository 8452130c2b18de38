"use strict";
for (const form of document.querySelectorAll("form[data-of]")) {
  const table = document.getElementById(form.dataset.of);
  const rows = [...table.tBodies].map((body) => ({ body, text: null }));
  const search = form.querySelector("input[type=search]");
  const target = form.querySelector("select");
  const status = form.querySelector("[role=status]");

  const matches = (row, words, classes, nth) => {
    const cells = row.body.rows[0].querySelectorAll("td");
    const chosen = nth ? [cells[nth]] : [...cells];
    if (classes.length && !chosen.some((cell) => classes.some((name) => cell.querySelector("." + name)))) return false;
    row.text ??= row.body.textContent.toLowerCase();
    return words.every((word) => row.text.includes(word));
  };

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const classes = [...form.querySelectorAll("input:checked")].map((box) => box.value);
    let shown = 0;
    for (const row of rows) {
      const match = matches(row, words, classes, target?.value);
      row.body.hidden = !match;
      shown += match;
    }
    status.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
  };

  const open = (is) => {
    for (const { body } of rows) if (!body.hidden) for (const it of body.querySelectorAll("details")) it.open = is;
  };

  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, rows.length > 500 ? 150 : 0);
  });
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("click", (event) => {
    const act = event.target.dataset.do;
    if (act) open(act === "open");
  });
  form.hidden = false;
  filter();

  const measure = () => document.documentElement.style.setProperty("--bar", `${form.offsetHeight}px`);
  new ResizeObserver(measure).observe(form);
}

for (const region of document.querySelectorAll(".scroll")) {
  new ResizeObserver(() => {
    const scrolls = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
    region.tabIndex = scrolls ? 0 : -1;
  }).observe(region);
}

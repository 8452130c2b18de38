"use strict";
// Large reports keep the details of a row as the text of a noscript element, which is much cheaper than its elements,
// until somebody opens them. Browsers without scripts show them as they are.
const render = (details) => {
  const lazy = details.querySelector("noscript");
  if (lazy) lazy.outerHTML = lazy.textContent;
};

// The characters that the templates escape.
const ESCAPED = { lt: "<", gt: ">", amp: "&", quot: '"', "#60": "<", "#62": ">", "#38": "&", "#34": '"', "#39": "'" };
const plain = (markup) => markup.replace(/<[^>]*>/g, " ").replace(/&([a-z]+|#\d+);/g, (all, name) => ESCAPED[name] ?? all);

// What a row says, for the search.
const text = (body) => {
  const lazy = body.querySelector("noscript");
  if (!lazy) return body.textContent.toLowerCase();
  const [row, more] = body.rows;
  return `${row.textContent} ${more.querySelector("summary").textContent} ${plain(lazy.textContent)}`.toLowerCase();
};

for (const form of document.querySelectorAll("form[data-of]")) {
  const table = document.getElementById(form.dataset.of);
  const rows = [...table.tBodies].map((body) => ({ body, text: null, shown: true }));
  const search = form.querySelector("input[type=search]");
  const target = form.querySelector("select");
  const status = form.querySelector("[role=status]");

  const matches = (row, words, classes, nth) => {
    if (classes.length) {
      const cells = row.body.rows[0].querySelectorAll("td");
      const chosen = nth ? [cells[nth]] : [...cells];
      if (!chosen.some((cell) => classes.some((name) => cell.querySelector("." + name)))) return false;
    }
    if (!words.length) return true;
    row.text ??= text(row.body);
    return words.every((word) => row.text.includes(word));
  };

  const tell = (shown) => {
    status.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
  };

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const classes = [...form.querySelectorAll("input:checked")].map((box) => box.value);
    let shown = 0;
    for (const row of rows) {
      const match = matches(row, words, classes, target?.value);
      if (match !== row.shown) row.body.hidden = !match;
      row.shown = match;
      shown += match;
    }
    tell(shown);
  };

  const open = (is) => {
    for (const row of rows) {
      if (!row.shown) continue;
      for (const it of row.body.querySelectorAll("details")) {
        if (is) render(it);
        it.open = is;
      }
    }
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
  table.addEventListener("toggle", (event) => { if (event.target.open) render(event.target); }, true);
  addEventListener("beforeprint", () => {
    for (const row of rows) if (row.shown) row.body.querySelectorAll("details").forEach(render);
  });
  form.hidden = false;
  // Browsers keep the state of a form when a page is loaded again.
  if (search.value || form.querySelector("input:checked")) filter();
  else tell(rows.length);

  const measure = () => document.documentElement.style.setProperty("--bar", `${form.offsetHeight}px`);
  new ResizeObserver(measure).observe(form);
}

for (const region of document.querySelectorAll(".scroll")) {
  new ResizeObserver(() => {
    const scrolls = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
    region.tabIndex = scrolls ? 0 : -1;
  }).observe(region);
}

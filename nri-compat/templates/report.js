"use strict";
// The search: the rows of all tables that contain every word.
for (const form of document.querySelectorAll("form.search")) {
  const rows = [...document.querySelectorAll("tbody > tr")].map((row) => ({ row, text: null }));
  const input = form.querySelector("input");
  const status = form.querySelector("[role=status]");
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const it of rows) {
      it.text ??= it.row.textContent.toLowerCase();
      const matches = words.every((word) => it.text.includes(word));
      if (it.row.hidden === matches) it.row.hidden = !matches;
      shown += matches;
    }
    status.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows shown`;
  };
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, rows.length > 500 ? 150 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  // Browsers keep the state of a form when a page is loaded again.
  search();
}

for (const region of document.querySelectorAll(".scroll")) {
  new ResizeObserver(() => {
    const scrolls = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
    region.tabIndex = scrolls ? 0 : -1;
  }).observe(region);
}

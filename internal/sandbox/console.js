// Loads the page again every two seconds and puts its main part in place, and
// sends the forms of the tools as JSON.
"use strict";
const live = document.getElementById("live");
const said = document.getElementById("said");

async function refresh() {
  if (document.hidden || document.querySelector("#main details[open]")) return;
  try {
    const page = await fetch(location.href, { cache: "no-store" });
    if (!page.ok) throw new Error(page.status);
    const next = new DOMParser().parseFromString(await page.text(), "text/html");
    document.getElementById("main").replaceWith(next.getElementById("main"));
    live.textContent = "Live";
    live.classList.remove("stopped");
  } catch (error) {
    live.textContent = "No answer";
    live.classList.add("stopped");
  }
}

async function send(form) {
  const fields = Object.fromEntries(new FormData(form));
  const body = form.dataset.raw ? fields[form.dataset.raw] : JSON.stringify(fields);
  const answer = await fetch(form.dataset.path, {
    method: form.dataset.method,
    headers: { "Content-Type": "application/json" },
    body,
  });
  const text = await answer.text();
  said.textContent = answer.ok ? "Done" : text;
  refresh();
}

for (const form of document.querySelectorAll("form[data-path]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!form.dataset.confirm || confirm(form.dataset.confirm)) send(form);
  });
}
setInterval(refresh, 2000);

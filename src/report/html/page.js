"use strict";
// Shows the cases that the filters mean. The filters stand in the address, so that a link keeps them.

/**
 * The first element that a selector means.
 * @template {HTMLElement} T
 * @param {ParentNode} within
 * @param {string} selector
 * @param {new () => T} type
 */
function element(within, selector, type) {
  const found = within.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`no element ${selector}`);
  return found;
}

const form = element(document, "#filters", HTMLFormElement);
const search = element(form, "[name=q]", HTMLInputElement);
const machine = element(form, "[name=machine]", HTMLSelectElement);
const cause = element(form, "[name=cause]", HTMLSelectElement);
/** @type {NodeListOf<HTMLInputElement>} */ const verdicts = form.querySelectorAll("[name=verdict]");
const shown = element(document, "#shown", HTMLOutputElement);
/** @type {NodeListOf<HTMLLIElement>} */ const rows = document.querySelectorAll("#cases > li");
const cases = Array.from(rows, (row) => ({ row, text: (row.textContent ?? "").toLowerCase() }));

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Array.from(verdicts).filter((box) => box.checked).map((box) => box.value);
  let count = 0;
  for (const { row, text } of cases) {
    const meant =
      (wanted.length === 0 || wanted.includes(row.className)) &&
      (machine.value === "" || row.dataset.machine === machine.value) &&
      (cause.value === "" || row.dataset.cause === cause.value) &&
      words.every((word) => text.includes(word));
    row.hidden = !meant;
    if (meant) count += 1;
  }
  shown.textContent = count + " of " + cases.length + " cases";
}

/** The address of these filters; empty ones are left out. */
function address() {
  const wanted = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") wanted.append(name, String(value));
  return "#" + wanted;
}

/** Takes the filters from the address, or opens the case that it names. */
function follow() {
  const named = document.getElementById(location.hash.slice(1));
  if (named !== null && named.matches("#cases > li")) {
    form.reset();
    filter();
    element(named, "details", HTMLDetailsElement).open = true;
    named.scrollIntoView({ block: "center" });
    return;
  }
  const wanted = new URLSearchParams(location.hash.slice(1));
  search.value = wanted.get("q") ?? "";
  machine.value = wanted.get("machine") ?? "";
  cause.value = wanted.get("cause") ?? "";
  for (const box of verdicts) box.checked = wanted.getAll("verdict").includes(box.value);
  filter();
}

function changed() {
  filter();
  try {
    history.replaceState(null, "", address());
  } catch {
    // A page in a sandbox has no history; the filters work all the same.
  }
}

form.addEventListener("input", changed);
form.addEventListener("reset", () => setTimeout(changed));
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);
/** Copies what is in front of a button, and says whether that worked. */
async function copy(/** @type {HTMLButtonElement} */ button) {
  const text = button.parentElement?.querySelector("code")?.textContent ?? "";
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "✓";
  } catch {
    button.textContent = "✗";
  }
}

for (const button of document.querySelectorAll(".look button")) if (button instanceof HTMLButtonElement) button.hidden = false;
document.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLButtonElement && target.matches(".look button")) copy(target);
});
form.hidden = false;
follow();


"use strict";
// Shows the cases that the filters mean. The filters stand in the address, so that a link keeps them.
const form = document.getElementById("filters");
const shown = document.getElementById("shown");
const cases = Array.from(document.querySelectorAll("#cases > li"), (row) => ({
  row,
  text: row.textContent.toLowerCase(),
}));

function filter() {
  const wanted = new FormData(form);
  const words = wanted.get("q").toLowerCase().split(/\s+/).filter(Boolean);
  const verdicts = wanted.getAll("verdict");
  const machine = wanted.get("machine") ?? "";
  const cause = wanted.get("cause") ?? "";
  let count = 0;
  for (const { row, text } of cases) {
    const meant =
      (verdicts.length === 0 || verdicts.includes(row.className)) &&
      (machine === "" || row.dataset.machine === machine) &&
      (cause === "" || row.dataset.cause === cause) &&
      words.every((word) => text.includes(word));
    row.hidden = !meant;
    if (meant) count += 1;
  }
  shown.textContent = count + " of " + cases.length + " cases";
}

// The address of these filters; empty ones are left out.
function address() {
  const wanted = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") wanted.append(name, value);
  return "#" + wanted;
}

// Takes the filters from the address, or opens the case that it names.
function follow() {
  const named = document.getElementById(location.hash.slice(1));
  if (named !== null && named.matches("#cases > li")) {
    form.reset();
    filter();
    named.querySelector("details").open = true;
    named.scrollIntoView({ block: "center" });
    return;
  }
  const wanted = new URLSearchParams(location.hash.slice(1));
  for (const name of ["q", "machine", "cause"]) form.elements[name].value = wanted.get(name) ?? "";
  for (const box of form.querySelectorAll("[name=verdict]")) {
    box.checked = wanted.getAll("verdict").includes(box.value);
  }
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
form.hidden = false;
follow();

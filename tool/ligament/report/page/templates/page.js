// SPDX-License-Identifier: Apache-2.0
// Puts charts, timeline and graph into the page, and lets the reader choose a variant.
"use strict";

(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const timelines = JSON.parse(document.getElementById("timelines").textContent);
  const chosen = {variant: 0, scale: "log"};
  const box = (id) => document.getElementById(id);
  const timeline = report.variants.length ? new Timeline() : null;

  function drawCharts() {
    drawLatency(box("chart-latency"), report);
    drawParts(box("chart-parts"), report);
    if (report.variants.length) drawChosenHops();
    drawDistribution(box("chart-distribution"), report, chosen.scale);
  }

  function drawChosenHops() {
    drawHops(box("chart-hops"), report, chosen.variant);
    drawHopDistributions(box("chart-spread"), report, chosen.variant, chosen.scale);
  }

  function choose(index) {
    chosen.variant = index;
    for (const button of document.querySelectorAll("[data-choose]")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.choose) === index));
    }
    for (const part of document.querySelectorAll("[data-variant]")) {
      part.hidden = Number(part.dataset.variant) !== index;
    }
    if (!report.variants.length) return;
    drawChosenHops();
    timeline.show(timelines[index]);
    showGraph(index);
  }

  // In a shadow root, so that the picture's style sheet and ids stay its own.
  function showGraph(index) {
    const holder = box("graph-box");
    holder.textContent = "";
    const template = document.querySelector(`template[data-graph="${index}"]`);
    const picture = template.content.querySelector("svg");
    if (!picture) return nothing(holder, "There is no picture of this variant's graph.");
    const shown = picture.cloneNode(true);
    const root = html(holder, "div").attachShadow({mode: "open"});
    root.appendChild(shown);
    const natural = Number(shown.getAttribute("width"));
    // Shrunk to fit as long as its text stays readable, else it scrolls inside its frame.
    const fit = Math.max(0.62, Math.min(1, holder.clientWidth / natural));
    shown.style.display = "block";
    shown.style.margin = "0 auto";
    shown.setAttribute("height", Number(shown.getAttribute("height")) * fit);
    shown.setAttribute("width", natural * fit);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.choose !== undefined) choose(Number(button.dataset.choose));
    if (button.dataset.scale !== undefined) {
      chosen.scale = button.dataset.scale;
      for (const other of document.querySelectorAll("[data-scale]")) other.setAttribute("aria-pressed", String(other === button));
      drawDistribution(box("chart-distribution"), report, chosen.scale);
      drawChosenHops();
    }
    if (button.dataset.do !== undefined) timeline.act(button.dataset.do);
  });

  let width = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    drawCharts();
    if (timeline) timeline.resize();
  }).observe(document.body);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline && timeline.draw());

  width = document.body.clientWidth;
  drawCharts();
  choose(0);
  document.documentElement.dataset.ready = "true";
})();

// SPDX-License-Identifier: Apache-2.0
// Charts from report.json, drawn as SVG for the width at hand. Text reaches the page through
// textContent only. Every mark that stands for a figure names it: data-path, data-value.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const PARTS = ["compute", "copy", "serialise", "transport", "wait", "queue_wait", "executor_wait"];

function element(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

function html(parent, name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  parent.appendChild(made);
  return made;
}

function digits(value) {
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

function duration(ns) {
  if (ns === null || ns === undefined) return "–";
  const size = Math.abs(ns);
  if (size >= 1e9) return digits(ns / 1e9) + " s";
  if (size >= 1e6) return digits(ns / 1e6) + " ms";
  if (size >= 1e3) return digits(ns / 1e3) + " µs";
  return digits(ns) + " ns";
}

// Ticks at 1, 2 or 5 times a power of ten, with one unit for all of an axis.
function ticks(low, high, about) {
  const rough = Math.max((high - low) / about, 1e-9);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) found.push(at);
  return found;
}

function logTicks(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const factor of [1, 2, 5]) {
      const at = factor * Math.pow(10, power);
      if (at >= low && at <= high) found.push(at);
    }
  }
  return found.length >= 2 ? found : ticks(low, high, 4);
}

// Those marks that do not run into the one before.
function apart(marks, scale, pixels) {
  let last = -Infinity;
  return marks.filter((mark) => {
    if (scale(mark) - last < pixels) return false;
    last = scale(mark);
    return true;
  });
}

function unit(high) {
  return [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([factor]) => high >= factor) || [1, "ns"];
}

function tickText(value, [factor]) {
  return String(Number((value / factor).toPrecision(6)));
}

function frame(box, height, title) {
  box.textContent = "";
  const width = Math.max(260, Math.floor(box.clientWidth));
  const svg = element(box, "svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title});
  return {svg, width};
}

function shorten(text, room, px) {
  const fit = Math.max(3, Math.floor(room / (px * 0.6)));
  return text.length <= fit ? text : text.slice(0, fit - 1) + "…";
}

function label(svg, text, at, room) {
  const made = element(svg, "text", at, shorten(text, room, 13));
  element(made, "title", {}, text);
  return made;
}

function axis(svg, {left, right, top, bottom, scale, marks, shared, title}) {
  for (const mark of marks) {
    const x = scale(mark);
    element(svg, "line", {x1: x, x2: x, y1: top, y2: bottom, class: "grid"});
    element(svg, "text", {x, y: bottom + 16, "text-anchor": "middle", class: "dim"}, tickText(mark, shared));
  }
  element(svg, "line", {x1: left, x2: right, y1: bottom, y2: bottom, class: "axis"});
  element(svg, "text", {x: right, y: bottom + 34, "text-anchor": "end", class: "dim"}, `${title} / ${shared[1]}`);
}

function nothing(box, text) {
  box.textContent = "";
  html(box, "p", text, "note");
}

// --- latency: median with its interval, the reference's interval as a band ----------------------

function drawLatency(box, report) {
  const rows = report.variants.map((variant, index) => ({variant, index})).filter((row) => row.variant.latency_ns);
  if (!rows.length) return nothing(box, "No message reached the end of a chain, so there is no latency.");
  const reference = rows.find((row) => row.variant.name === report.reference) || rows[0];
  const all = rows.flatMap(({variant: {latency_ns: l}}) => [l.p50_low, l.p50_high]);
  const pad = Math.max((Math.max(...all) - Math.min(...all)) * 0.15, Math.max(...all) * 0.004);
  const low = Math.max(0, Math.min(...all) - pad), high = Math.max(...all) + pad;
  const rowHeight = 54, top = 8, bottom = top + rows.length * rowHeight;
  const {svg, width} = frame(box, bottom + 42, "Median latency of each variant with its 95 % confidence interval");
  const left = 8, right = width - 8;
  const scale = (ns) => left + (ns - low) / (high - low) * (right - left);
  const base = reference.variant.latency_ns;
  if (rows.length > 1) element(svg, "rect", {x: scale(base.p50_low), width: Math.max(1, scale(base.p50_high) - scale(base.p50_low)), y: top, height: bottom - top, fill: "var(--band)"});
  axis(svg, {left, right, top, bottom, scale, marks: ticks(low, high, width < 500 ? 4 : 8), shared: unit(high), title: "median latency"});
  rows.forEach(({variant, index}, row) => {
    const l = variant.latency_ns, y = top + row * rowHeight + 38, colour = `var(--v${index % 6})`;
    const told = element(svg, "text", {x: right, y: y - 18, "text-anchor": "end"}, `${duration(l.p50)} · p99 ${duration(l.p99)}${beside(variant, report)}`);
    label(svg, variant.name, {x: left, y: y - 18, "font-weight": 600}, right - left - told.getComputedTextLength() - 16);
    const bar = element(svg, "g", {});
    element(bar, "line", {x1: scale(l.p50_low), x2: scale(l.p50_high), y1: y, y2: y, stroke: colour, "stroke-width": 7, "stroke-opacity": 0.45});
    for (const end of [l.p50_low, l.p50_high]) element(bar, "line", {x1: scale(end), x2: scale(end), y1: y - 7, y2: y + 7, stroke: colour, "stroke-width": 2});
    element(bar, "circle", {cx: scale(l.p50), cy: y, r: 5, fill: colour, "data-path": `variants/${index}/latency_ns/p50`, "data-value": l.p50});
    element(bar, "title", {}, `${variant.name}: ${duration(l.p50)}, 95 % interval ${duration(l.p50_low)} to ${duration(l.p50_high)}, n = ${l.n}`);
  });
}

function beside(variant, report) {
  const against = variant.against_reference;
  if (!against || against.p50_ratio === null) return report.variants.length > 1 ? " · reference" : "";
  return against.within_noise ? " · no difference shown" : ` · × ${against.p50_ratio.toFixed(3)}`;
}

// --- stacked bars -------------------------------------------------------------------------------

function present(parts) {
  const names = new Set(parts.flatMap((part) => Object.keys(part || {})));
  return [...PARTS.filter((name) => names.has(name)), ...[...names].filter((name) => !PARTS.includes(name))];
}

function legend(box, names) {
  const list = html(box, "div", undefined, "legend");
  for (const name of names) {
    const entry = html(list, "span");
    const mark = element(entry, "svg", {viewBox: "0 0 26 12", "aria-hidden": "true"});
    element(mark, "rect", {width: 26, height: 12, rx: 2, fill: `var(--${name},var(--dim))`});
    html(entry, "span", name.replace("_", " "));
  }
}

// rows: {name, note, told, parts: {name: ns}, path}; one bar each, on one scale from zero.
function drawBars(box, rows, title) {
  box.textContent = "";
  const names = present(rows.map((row) => row.parts));
  legend(box, names);
  const inner = html(box, "div");
  const high = Math.max(...rows.map((row) => names.reduce((sum, name) => sum + Math.max(0, row.parts[name] || 0), 0)), 1);
  const rowHeight = 50, top = 4, bottom = top + rows.length * rowHeight;
  const {svg, width} = frame(inner, bottom + 42, title);
  const left = 8, right = width - 8;
  const scale = (ns) => left + ns / (high * 1.02) * (right - left);
  axis(svg, {left, right, top, bottom, scale, marks: ticks(0, high * 1.02, width < 500 ? 4 : 8), shared: unit(high), title: "mean time"});
  rows.forEach((row, number) => {
    const y = top + number * rowHeight + 20;
    const told = element(svg, "text", {x: right, y: y - 4, "text-anchor": "end"}, row.told);
    label(svg, row.name, {x: left, y: y - 4, "font-weight": row.inside ? 400 : 600}, right - left - told.getComputedTextLength() - 16);
    let at = 0;
    for (const name of names) {
      const value = Math.max(0, row.parts[name] || 0);
      const part = element(svg, "rect", {x: scale(at), y, width: Math.max(0, scale(at + value) - scale(at)), height: 18, fill: `var(--${name},var(--dim))`, "data-path": row.path(name), "data-value": row.raw(name)});
      element(part, "title", {}, `${row.name}: ${name.replace("_", " ")} ${duration(value)}`);
      at += value;
    }
  });
}

function drawParts(box, report) {
  const rows = report.variants.map((variant, index) => ({variant, index})).filter(({variant}) => variant.shares && variant.latency_ns);
  if (!rows.length) return nothing(box, "No chain was found, so no time can be told apart.");
  drawBars(box, rows.map(({variant, index}) => ({
    name: variant.name,
    told: `${duration(variant.latency_ns.mean)} · message passing ${(variant.message_passing * 100).toFixed(2)} %`,
    parts: Object.fromEntries(Object.entries(variant.shares).map(([name, share]) => [name, share * variant.latency_ns.mean])),
    path: (name) => `variants/${index}/shares/${name}`,
    raw: (name) => variant.shares[name],
  })), "Mean time per message by what it was spent on");
}

function drawHops(box, report, index) {
  const hops = report.variants[index].hops || [];
  if (!hops.length) return nothing(box, "No chain was found in this variant's trace.");
  const rows = [];
  hops.forEach((hop, number) => {
    rows.push(hopRow(`${hop.from} → ${hop.to}`, `${hop.topic} · `, hop.between_ns, `variants/${index}/hops/${number}/between_ns`, false));
    if (hop.node_ns) rows.push(hopRow(`in ${hop.to}`, "", hop.node_ns, `variants/${index}/hops/${number}/node_ns`, true));
  });
  drawBars(box, rows.slice(0, 120), "Mean time per hop by what it was spent on");
  if (rows.length > 120) html(box, "p", `${rows.length - 120} more are in the table below.`, "note");
}

function hopRow(name, told, parts, path, inside) {
  const sum = Object.values(parts).reduce((a, b) => a + b, 0);
  return {name, told: told + duration(sum), parts, inside, path: (part) => `${path}/${part}`, raw: (part) => parts[part]};
}

// --- distribution of each hop: 1 % to 99 % as a line, the middle half as a bar, the median as a dot -------

function drawHopDistributions(box, report, index, wanted) {
  const hops = report.variants[index].hops || [];
  const rows = hops.map((hop, number) => ({hop, number, at: shares(hop.total_quantiles)})).filter((row) => row.at).slice(0, 60);
  if (!rows.length) return nothing(box, "There is no distribution of single hops in this report.");
  const lowest = Math.min(...rows.map(({at}) => at(0))), highest = Math.max(...rows.map(({at}) => at(1)));
  const log = wanted === "log" && lowest > 0;
  const low = log ? lowest / 1.05 : 0, high = log ? highest * 1.05 : highest * 1.02 + 1;
  const rowHeight = 46, top = 4, bottom = top + rows.length * rowHeight;
  box.textContent = "";
  const {svg, width} = frame(box, bottom + 42, "Distribution of the time over each hop");
  const left = 8, right = width - 10, narrow = width < 500;
  const scale = log ? (ns) => left + Math.log(Math.max(ns, low) / low) / Math.log(high / low) * (right - left) : (ns) => left + (ns - low) / (high - low) * (right - left);
  const marks = apart(log ? logTicks(low, high) : ticks(low, high, narrow ? 4 : 8), scale, 38);
  axis(svg, {left, right, top, bottom, scale, marks, shared: unit(log ? Math.sqrt(low * high) : high), title: "time over the hop"});
  for (const row of rows) drawSpread(svg, row, {index, left, right, y: top + row.number * rowHeight + 34, scale, narrow});
  if (hops.length > rows.length) html(box, "p", `${hops.length - rows.length} more are in the table below.`, "note");
}

// The value at a share; nothing where a report has none.
function shares(points) {
  if (!points || !points.length) return null;
  const known = new Map(points.map(({share, value_ns: ns}) => [share, ns]));
  return (share) => known.get(share);
}

function drawSpread(svg, {hop, number, at}, {index, left, right, y, scale, narrow}) {
  const colour = `var(--v${index % 6})`, path = `variants/${index}/hops/${number}/total_quantiles`;
  const place = (share) => hop.total_quantiles.findIndex((point) => point.share === share);
  const told = element(svg, "text", {x: right, y: y - 14, "text-anchor": "end", class: "dim"}, `${duration(at(0.5))} · p99 ${duration(at(0.99))}` + (narrow ? "" : ` · most ${duration(at(1))}`));
  label(svg, `${hop.from} → ${hop.to}`, {x: left, y: y - 14}, right - left - told.getComputedTextLength() - 16);
  const mark = element(svg, "g", {});
  element(mark, "line", {x1: scale(at(0.01)), x2: scale(at(0.99)), y1: y, y2: y, stroke: colour, "stroke-width": 2});
  element(mark, "rect", {x: scale(at(0.25)), width: Math.max(2, scale(at(0.75)) - scale(at(0.25))), y: y - 6, height: 12, rx: 2, fill: colour, "fill-opacity": 0.45});
  for (const share of [0.5, 0.99, 1]) element(mark, "circle", {cx: scale(at(share)), cy: y, r: share === 0.5 ? 5 : 3, fill: share === 1 ? "none" : colour, stroke: colour, "stroke-width": 1.5, "data-path": `${path}/${place(share)}/value_ns`, "data-value": at(share)});
  element(mark, "title", {}, `${hop.from} → ${hop.to}: half of the messages ${duration(at(0.25))} to ${duration(at(0.75))}, 1 % to 99 % ${duration(at(0.01))} to ${duration(at(0.99))}, at most ${duration(at(1))}`);
}

// --- distribution: the share of messages up to a time, and the histogram beneath ----------------

function drawDistribution(box, report, wanted) {
  const rows = report.variants.map((variant, index) => ({variant, index, steps: cumulative(variant)})).filter((row) => row.steps.length > 1);
  if (!rows.length) return nothing(box, "No message reached the end of a chain, so there is no distribution.");
  box.textContent = "";
  variantLegend(box, rows);
  const inner = html(box, "div");
  const lowest = Math.min(...rows.map((row) => row.steps[0][0])), highest = Math.max(...rows.map((row) => row.steps.at(-1)[0]));
  const log = wanted === "log" && lowest > 0;
  const low = log ? lowest / 1.02 : Math.max(0, lowest - (highest - lowest) * 0.02), high = log ? highest * 1.02 : highest + (highest - lowest) * 0.02 + 1;
  const narrow = box.clientWidth < 500;
  const top = 12, bottom = top + (narrow ? 220 : 300);
  const bars = rows.filter((row) => row.variant.latency_histogram);
  const each = 62, end = bars.length ? bottom + 44 + bars.length * each : bottom;
  const {svg, width} = frame(inner, end + 40, "Share of messages with at most a latency, per variant, and histograms");
  const left = 44, right = width - 10;
  const scale = log ? (ns) => left + Math.log(Math.max(ns, low) / low) / Math.log(high / low) * (right - left) : (ns) => left + (ns - low) / (high - low) * (right - left);
  const marks = apart(log ? logTicks(low, high) : ticks(low, high, narrow ? 4 : 8), scale, 38);
  const up = (share) => bottom - share * (bottom - top);
  for (const share of [0, 0.25, 0.5, 0.75, 0.99, 1]) {
    element(svg, "line", {x1: left, x2: right, y1: up(share), y2: up(share), class: "grid"});
    if (share !== 1) element(svg, "text", {x: left - 6, y: up(share) + (share === 0.99 ? 7 : 4), "text-anchor": "end", class: "dim"}, `${Math.round(share * 100)} %`);
  }
  const shared = unit(log ? Math.sqrt(low * high) : high);
  axis(svg, {left, right, top, bottom, scale, marks, shared, title: "latency"});
  for (const row of rows) drawCurve(svg, row, scale, up);
  if (bars.length) drawHistograms(svg, bars, {left, right, top: bottom + 44, bottom: end, each, narrow});
}

function variantLegend(box, rows) {
  const list = html(box, "div", undefined, "legend");
  for (const {variant, index} of rows) {
    const entry = html(list, "span");
    const mark = element(entry, "svg", {viewBox: "0 0 26 12", "aria-hidden": "true"});
    stroke(element(mark, "line", {x1: 0, x2: 26, y1: 6, y2: 6, "stroke-width": 2.5}), index);
    html(entry, "span", `${variant.name} (n = ${variant.latency_ns.n})`);
  }
}

function stroke(mark, index) {
  mark.style.stroke = `var(--v${index % 6})`;
  mark.style.strokeDasharray = `var(--d${index % 6})`;
  mark.style.fill = "none";
}

// [ns, share] pairs, ascending: the report's quantiles, else what the summary has.
function cumulative(variant) {
  const l = variant.latency_ns;
  if (!l || !l.n) return [];
  if (variant.latency_quantiles && variant.latency_quantiles.length) return variant.latency_quantiles.map(({share, value_ns: ns}) => [ns, share]);
  return [[l.min, 0], [l.p50, 0.5], [l.p99, 0.99], [l.max, 1]];
}

function drawCurve(svg, {variant, index, steps}, scale, up) {
  const path = steps.map(([ns, share], i) => `${i ? "L" : "M"}${scale(ns).toFixed(1)} ${up(share).toFixed(1)}`).join("");
  stroke(element(svg, "path", {d: path, "stroke-width": 2, "stroke-linejoin": "round"}), index);
  for (const [name, share] of [["p50", 0.5], ["p99", 0.99]]) {
    const ns = variant.latency_ns[name];
    const dot = element(svg, "circle", {cx: scale(ns), cy: up(share), r: 4, fill: `var(--v${index % 6})`, "data-path": `variants/${index}/latency_ns/${name}`, "data-value": ns});
    element(dot, "title", {}, `${variant.name}: ${name} ${duration(ns)}`);
  }
}

// Bins are of equal width, so their axis is linear whatever the curves' is.
function drawHistograms(svg, rows, {left, right, top, bottom, each, narrow}) {
  const spans = rows.map(({variant: {latency_histogram: bins}}) => [bins.low_ns, bins.low_ns + bins.width_ns * bins.counts.length]);
  const low = Math.min(...spans.map(([from]) => from)), high = Math.max(...spans.map(([, to]) => to));
  const scale = (ns) => left + (ns - low) / (high - low) * (right - left);
  axis(svg, {left, right, top, bottom, scale, marks: ticks(low, high, narrow ? 4 : 8), shared: unit(high), title: "latency"});
  rows.forEach((row, number) => drawHistogram(svg, row, {left, right, top: top + number * each, height: each - 22, scale}));
}

// The last bin also holds everything beyond it, and is drawn lighter.
function drawHistogram(svg, {variant, index}, {left, right, top, height, scale}) {
  const {low_ns: low, width_ns: width, counts} = variant.latency_histogram;
  const most = Math.max(...counts, 1), base = top + height + 14, last = counts.length - 1;
  label(svg, variant.name, {x: right - 4, y: top + 14, class: "dim", "text-anchor": "end"}, right - left);
  counts.forEach((count, bin) => {
    if (!count) return;
    const from = scale(low + bin * width), to = scale(low + (bin + 1) * width);
    const bar = element(svg, "rect", {x: from, width: Math.max(0.8, to - from - (to - from > 3 ? 0.6 : 0)), y: base - count / most * height, height: count / most * height, fill: `var(--v${index % 6})`, "fill-opacity": bin === last ? 0.5 : 1, "data-path": `variants/${index}/latency_histogram/counts/${bin}`, "data-value": count});
    const text = bin === last ? `from ${duration(low + bin * width)} on` : `${duration(low + bin * width)} to ${duration(low + (bin + 1) * width)}`;
    element(bar, "title", {}, `${variant.name}: ${count} messages, ${text}`);
  });
  element(svg, "line", {x1: left, x2: right, y1: base, y2: base, class: "axis"});
}

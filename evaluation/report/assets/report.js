"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const NARROW = 560;
  const PRINT_WIDTH = 640;
  const config = { displayModeBar: false, displaylogo: false, showTips: false };

  // --- colours ------------------------------------------------------------------------------------------------------
  let printing = false;
  const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const scales = {
    sequential: () => [0, 1, 2, 3].map((at) => [at / 3, variable(`seq${at}`)]),
    diverging: () => [[0, variable("neg")], [0.5, variable("mid")], [1, variable("pos")]],
  };

  function colour(token) {
    const [name, alpha] = token.slice(1).split("/");
    if (scales[name]) return scales[name]();
    const hex = variable(name);
    if (!alpha) return hex;
    const part = (at) => parseInt(hex.length === 4 ? hex[at + 1].repeat(2) : hex.slice(1 + 2 * at, 3 + 2 * at), 16);
    return `rgba(${part(0)},${part(1)},${part(2)},${alpha})`;
  }

  const COLOURED = new Set(["color", "fillcolor", "colorscale"]);
  function themed(value, key) {
    if (Array.isArray(value)) return value.map((one) => themed(one, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, themed(one, name)]));
    }
    return COLOURED.has(key) && typeof value === "string" && value[0] === "@" ? colour(value) : value;
  }

  // --- charts -------------------------------------------------------------------------------------------------------
  const hidden = new WeakMap();

  const switched = (plot) => hidden.get(plot) || new Set(figures[plot.dataset.figure].off);

  function draw(plot) {
    const figure = figures[plot.dataset.figure];
    const width = printing ? PRINT_WIDTH : plot.clientWidth;
    const narrow = width < NARROW;
    const off = switched(plot);
    const ink = colour("@ink"), soft = colour("@soft"), line = colour("@line");
    const axis = { gridcolor: line, linecolor: soft, tickcolor: soft, color: ink, fixedrange: true };
    const given = themed(figure.layout);
    const layout = {
      ...given,
      width,
      height: plot.clientHeight,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: narrow ? 11 : 12, color: ink },
      hoverlabel: { bgcolor: colour("@panel"), bordercolor: soft, font: { color: ink } },
      margin: { l: narrow ? 46 : 56, r: 16, t: 12, b: 46, ...given.margin },
      dragmode: false,
      hovermode: "closest",
    };
    for (const name of ["xaxis", "yaxis", "xaxis2"]) {
      if (name === "xaxis2" && !given[name]) continue;
      layout[name] = { ...axis, ...given[name] };
      layout[name].title = { standoff: 8, ...layout[name].title, font: { size: narrow ? 11 : 12, color: soft } };
    }
    // A series that was left out at first is out of the range that was chosen without it.
    if (figure.off.some((name) => !off.has(name))) delete layout.yaxis.range;
    const labels = (given.annotations || []).filter((one) => one.name === "label");
    layout.annotations = (given.annotations || [])
      .filter((one) => one.name !== "label" || (!narrow && !off.has(one.series)))
      .map(({ series, ...rest }) => rest);
    if (narrow && labels.length) layout.margin.r = 14;
    // The fewer bands there are, the better they can be seen.
    const bands = figure.data.filter((one) => one.meta && one.meta.kind === "band" && !off.has(one.meta.series)).length;
    const veiled = (one) => ({ ...one, fillcolor: one.fillcolor.replace(/[^/]*$/, Math.min(0.18, 0.4 / bands).toFixed(2)) });
    const source = figure.data.map((one) => (bands && one.meta && one.meta.kind === "band" ? veiled(one) : one));
    const data = themed(source).map((trace) => {
      const series = trace.meta && trace.meta.series;
      const shown = { ...trace, visible: !off.has(series) };
      if (shown.mode === "markers+text" && narrow) shown.mode = "markers";
      if (shown.type === "heatmap") shown.textfont = { size: narrow ? 11 : 12 };
      if (shown.textfont && shown.type === "scatter") shown.textfont = { ...shown.textfont, color: ink };
      return shown;
    });
    plot.dataset.drawn = "yes";
    return Plotly.react(plot, data, layout, config);
  }

  const plots = [...document.querySelectorAll(".plot")];
  const waiting = new Set(plots);
  function first(plot) {
    if (!waiting.delete(plot)) return;
    seen.unobserve(plot);
    draw(plot);
    sized.observe(plot);
  }
  const seen = new IntersectionObserver(
    (entries) => entries.forEach((entry) => entry.isIntersecting && first(entry.target)),
    { rootMargin: "60px" },
  );
  const widths = new WeakMap();
  const sized = new ResizeObserver((entries) => {
    if (printing) return;
    for (const { target } of entries) {
      if (!target.clientWidth || widths.get(target) === target.clientWidth) continue;
      const again = widths.has(target);
      widths.set(target, target.clientWidth);
      if (again) draw(target);
    }
  });
  const drawn = () => plots.filter((plot) => !waiting.has(plot));
  // What is out of sight is drawn when there is nothing else to do.
  const idle = window.requestIdleCallback || ((action) => setTimeout(action, 50));
  function rest() {
    const next = waiting.values().next().value;
    if (!next) return;
    first(next);
    idle(rest);
  }
  dark.addEventListener("change", () => drawn().forEach(draw));
  addEventListener("beforeprint", () => {
    printing = true;
    if (window.Plotly) plots.forEach((plot) => { waiting.delete(plot); draw(plot); });
  });
  addEventListener("afterprint", () => { printing = false; drawn().forEach(draw); });

  document.addEventListener("click", (event) => {
    const key = event.target.closest(".key");
    if (!key) return;
    const on = key.getAttribute("aria-pressed") !== "true";
    key.setAttribute("aria-pressed", on);
    for (const plot of key.closest(".group, figure").querySelectorAll(".plot")) {
      const off = switched(plot);
      if (on) off.delete(key.dataset.series); else off.add(key.dataset.series);
      hidden.set(plot, off);
      if (!waiting.has(plot)) draw(plot);
    }
  });

  // --- packed parts -------------------------------------------------------------------------------------------------
  function decoded(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    return bytes;
  }

  // The largest part of the file comes last: a part may be asked for before it has been read.
  const complete = new Promise((done) => addEventListener("load", done));

  async function unpacked(id) {
    if (!document.getElementById(id)) await complete;
    const bytes = decoded(document.getElementById(id).textContent);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  const loading = new Map();
  function load(box) {
    const id = box.dataset.load;
    if (!id) return Promise.resolve();
    if (!loading.has(box)) {
      loading.set(box, (async () => {
        const inside = document.createElement("div");
        box.setAttribute("aria-busy", "true");
        try {
          const { html, lines } = JSON.parse(await unpacked(id));
          inside.innerHTML = html;
          for (const pre of inside.querySelectorAll("[data-l]")) {
            pre.textContent = pre.dataset.l.split(",").map((number) => lines[number]).join("\n");
          }
        } catch (error) {
          inside.textContent = `This part could not be unpacked (${error.message}); evoplay show prints it.`;
        }
        box.append(inside);
        box.removeAttribute("aria-busy");
        box.dataset.loaded = "yes";
      })());
    }
    return loading.get(box);
  }
  document.addEventListener("toggle", (event) => { if (event.target.open) load(event.target); }, true);

  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".csv");
    if (!button) return;
    const name = button.dataset.csv;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([await unpacked(`csv-${name}`)], { type: "text/csv" }));
    link.download = `${name}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });

  // --- places -------------------------------------------------------------------------------------------------------
  async function go() {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    const trial = document.getElementById(id.split("/")[0]);
    if (trial && trial.dataset.load) await load(trial);
    const place = document.getElementById(id);
    if (!place) return;
    for (let box = place; box; box = box.parentElement && box.parentElement.closest("details")) {
      if (box.tagName === "DETAILS" && box.id !== "toc") box.open = true;
    }
    document.querySelectorAll(".here").forEach((one) => one.classList.remove("here"));
    if (id.includes("/")) place.classList.add("here");
    place.scrollIntoView({ block: "start" });
    place.focus({ preventScroll: true });
  }
  addEventListener("hashchange", go);
  document.addEventListener("click", (event) => {
    // A link to where one already is changes nothing in the address, and still leads there.
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) go();
  });

  const toc = document.getElementById("toc");
  const broad = matchMedia("(min-width: 1180px)");
  const fit = () => { toc.open = broad.matches; };
  fit();
  broad.addEventListener("change", fit);
  toc.addEventListener("click", (event) => { if (event.target.closest("a") && !broad.matches) toc.open = false; });

  const filter = document.getElementById("filter");
  const trials = [...document.querySelectorAll(".trial")];
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const trial of trials) {
      trial.hidden = !words.every((word) => trial.dataset.words.includes(word));
      count += !trial.hidden;
    }
    for (const game of document.querySelectorAll(".game")) {
      game.hidden = !game.querySelector(".trial:not([hidden])");
      if (words.length && !game.hidden) game.open = true;
    }
    document.getElementById("shown").textContent = words.length ? `${count} of ${trials.length}` : "";
  });

  // Plotly is large: it is unpacked while the rest of the file is read, and run once the page is there.
  const plotly = unpacked("plotly");
  async function start() {
    const library = document.createElement("script");
    try {
      library.textContent = await plotly;
      document.head.append(library);
    } catch (error) {
      for (const plot of plots) plot.textContent = `Charts could not be unpacked (${error.message}).`;
      return;
    }
    plots.forEach((plot) => seen.observe(plot));
    idle(rest);
  }
  const started = complete.then(() => { go(); return new Promise((done) => setTimeout(done)); }).then(start);
  // For who drives the page from outside: draw everything now.
  window.evoplay = { drawAll: () => started.then(() => [...waiting].forEach(first)), ready: () => waiting.size === 0 };
})();

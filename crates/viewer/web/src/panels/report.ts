/** The report: one page that holds everything, made by the server around a picture of the view. */

import { download } from "../download";
import { fetchExport } from "../actions/shake";
import { bytes } from "../format";
import * as state from "../state";
import { effect, signal } from "../store";
import { button, section } from "../ui/controls";
import { h } from "../ui/h";

let takePicture: () => string = () => "";

/** The scene hands over how a picture is taken. */
export function setPicture(take: () => string): void {
  takePicture = take;
}

export function savePicture(): void {
  const data = atob(takePicture().split(",")[1] ?? "");
  const raw = Uint8Array.from(data, (letter) => letter.charCodeAt(0));
  download(`${state.model.peek()?.name ?? "view"}.png`, new Blob([raw], { type: "image/png" }));
}

export function reportPanel(): HTMLElement {
  const report = signal<Blob | null>(null);
  const frame = h("iframe", { class: "report-frame", title: "Preview of the report", sandbox: "", testid: "report-frame" });
  const status = h("p", { class: "hint", role: "status" });
  effect(() => {
    state.model();
    report.set(null);
  });
  effect(() => {
    const made = report();
    frame.hidden = made === null;
    status.textContent = made
      ? `${bytes(made.size)}, self-contained.`
      : "A self-contained page with the verdict, the assumptions, the picture as the view shows it now and, after a run, its histories.";
    // A document within the page: the policy of the server forbids frames of other origins, blobs included.
    if (made) void made.text().then((text) => void (frame.srcdoc = text));
  });
  return h(
    "div",
    { class: "panel-body report" },
    section(
      "Report",
      status,
      h(
        "div",
        { class: "button-row" },
        button({
          label: "Make report", kind: "primary", testid: "report-make", disabled: () => state.model() === null || state.busy() !== null,
          onclick: async () => report.set(await fetchExport("html", takePicture().split(",")[1] ?? null, "Writing the report")),
        }),
        button({
          label: "Download", icon: "save", testid: "report-download", disabled: () => report() === null,
          onclick: () => {
            const made = report.peek();
            if (made) download(`${state.model.peek()?.name ?? "model"}-report.html`, made);
          },
        }),
        button({ label: "Picture", icon: "camera", testid: "report-picture", onclick: savePicture }),
      ),
      frame,
    ),
  );
}

import { defineConfig } from "vite";

/** The view inside notebooks: one file, for the Python package. */
export default defineConfig({
  build: {
    target: "es2022",
    outDir: "../../../python/drystone/static",
    emptyOutDir: false,
    copyPublicDir: false,
    chunkSizeWarningLimit: 900,
    lib: { entry: "src/embed/embed.ts", name: "drystone", formats: ["iife"], fileName: () => "view.js" },
  },
});

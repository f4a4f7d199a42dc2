import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    // One script and one style sheet, both plain: a page from file:// can load no modules.
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: { output: { format: 'iife', entryFileNames: 'assets/[name]-[hash].js' } },
  },
  plugins: [plainScript()],
});

/** Makes the script of the page one that is no module. */
function plainScript(): Plugin {
  return {
    name: 'plain-script',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html
          .replace('<script type="module" crossorigin', '<script defer')
          .replace('<link rel="stylesheet" crossorigin', '<link rel="stylesheet"'),
    },
  };
}

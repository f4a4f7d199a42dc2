import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    // One script and one style sheet, both plain: a page from file:// can load no modules.
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { output: { format: 'iife', entryFileNames: 'assets/[name]-[hash].js' } },
  },
  plugins: [plainScript(), exportedSite()],
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

// What the studio's server says in a header. A site may be opened from a folder, whose files are no 'self' to a browser.
const POLICY =
  "default-src 'self' file:; img-src 'self' file: blob:; connect-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'";

/** Adds the page of exported sites: the same one, which finds its data in files beside it. */
function exportedSite(): Plugin {
  return {
    name: 'exported-site',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const index = bundle['index.html'];
      if (index?.type !== 'asset') throw new Error('the build has made no index.html');
      const source = String(index.source)
        .replace('<head>', `<head>\n    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />`)
        .replace('<script defer', '<script defer src="./data/site.js"></script>\n    <script defer');
      this.emitFile({ type: 'asset', fileName: 'static.html', source });
    },
  };
}

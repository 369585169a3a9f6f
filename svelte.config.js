import adapter from '@sveltejs/adapter-node'
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte'

/** Hash of the fixed style attribute on Kit's own route announcer (generated root component). */
const KIT_ANNOUNCER_STYLE = 'sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo='

/** @type {import('@sveltejs/kit').Config} */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true },
  kit: {
    // The panel's own server calls the built handler; the prefix keeps a stray ORIGIN or PORT out.
    adapter: adapter({ out: 'build', precompress: true, envPrefix: 'BERTH_KIT_' }),
    csp: {
      mode: 'nonce',
      directives: {
        'default-src': ['none'],
        'script-src': ['self'],
        'style-src': ['self'],
        'style-src-attr': ['unsafe-hashes', KIT_ANNOUNCER_STYLE],
        'img-src': ['self', 'data:'],
        'font-src': ['self'],
        'connect-src': ['self'],
        'form-action': ['self'],
        'base-uri': ['none'],
        'frame-ancestors': ['none'],
      },
    },
    output: { preloadStrategy: 'modulepreload' },
    typescript: {
      config: (config) => {
        config.compilerOptions.allowImportingTsExtensions = true
        return config
      },
    },
  },
}

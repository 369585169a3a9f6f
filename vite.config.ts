import { sveltekit } from '@sveltejs/kit/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { uiChunks } from './scripts/ui-chunks.ts'

/** Builds the panel's UI; the product's other parts run from their TypeScript sources. */
export default defineConfig({
  plugins: [tailwindcss(), sveltekit(), uiChunks()],
  build: {
    target: 'es2022',
    cssTarget: 'chrome123',
    // Fonts and icons as files: a data: URI would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
  },
})

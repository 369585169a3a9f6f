import type { Plugin, Rolldown } from 'vite'

/** What each page loads: Kit's client, the layouts and the pages of errors. */
const FRAME = /client-optimized[\\/](?:app|nodes[\\/][0-3])\.js$|runtime[\\/]client[\\/]entry\.js$/
/** What most people see first; of it the frame takes along what other pages want as well. */
const FIRST = /dashboard[\\/]host-dashboard\.svelte$|client-optimized[\\/]nodes[\\/]4\.js$/
/** So many entries make a piece one that is shared. */
const SHARED = 3
const PAGE = /client-optimized[\\/]nodes[\\/]/
const ICON = /@lucide[\\/]svelte/
const DIALOG = /lib[\\/](?:components[\\/]ui[\\/](?:dialogs|forms|menus)|state[\\/]forms)[\\/]/
const LIST = /lib[\\/](?:components[\\/]ui[\\/]|state[\\/]lists[\\/])/

/** The entries and dynamic imports that load a module, directly or through others. */
const rootsOf = (id: string, context: Rolldown.ChunkingContext): Set<string> => {
  const roots = new Set<string>()
  const seen = new Set([id])
  for (const one of seen) {
    const info = context.getModuleInfo(one)
    if (!info) continue
    if (info.isEntry || info.dynamicImporters.length > 0) roots.add(one)
    for (const importer of info.importers) seen.add(importer)
  }
  return roots
}

const chunkOf = (id: string, context: Rolldown.ChunkingContext): string | null => {
  const roots = [...rootsOf(id, context)]
  if (roots.some((root) => FRAME.test(root))) return 'frame'
  if (roots.length < 2) return null
  if (roots.some((root) => FIRST.test(root))) return roots.length >= SHARED ? 'frame' : null
  if (ICON.test(id)) return 'icons'
  if (DIALOG.test(id)) return roots.some((root) => PAGE.test(root)) ? 'controls' : 'dialogs'
  return LIST.test(id) ? 'lists' : null
}

const CHUNKS = ['frame', 'icons', 'controls', 'lists', 'dialogs'] as const

/** A group takes along what its modules import, so that what is named first has to be whole first. */
const groupOf = (chunk: string, index: number) => ({
  name: (id: string, context: Rolldown.ChunkingContext) =>
    chunkOf(id, context) === chunk ? chunk : null,
  priority: CHUNKS.length - index,
})

/**
 * Few chunks instead of one for each piece that pages share: what every page loads is one, what
 * dialogs and lists are made of two more, and the icons of all pages a fourth.
 */
export const uiChunks = (): Plugin => ({
  name: 'berth:ui-chunks',
  enforce: 'post',
  config: ({ build }) =>
    build?.ssr
      ? undefined
      : {
          build: {
            rolldownOptions: { output: { codeSplitting: { groups: CHUNKS.map(groupOf) } } },
          },
        },
})

import { readExtensionHead } from './read-extension-head.ts'
import type { ExtensionHead } from './read-extension-head.ts'

/** Plugins, and themes, that are told of one WordPress. */
export const MAX_EXTENSIONS = 300
/** Files of a plugin's folder in which its head is looked for. */
const MAX_HEADS = 20
const MAX_SLUG_CHARS = 200

/** How files of a WordPress are looked at; paths are relative to its folder. */
export interface TreeReader {
  /** Sorted by name; nothing where the directory cannot be listed. */
  entries(path: string): { name: string; isFile: boolean }[]
  /** The first bytes of a file; null where there is none that can be read. */
  head(path: string): string | null
}

/** A plugin or theme, by its folder or file. */
export interface NamedExtension extends ExtensionHead {
  slug: string
}

/** Whether a plugin or theme can be called so. Names that are no UTF-8 lead nowhere. */
export const isSlug = (name: string): boolean =>
  name.length <= MAX_SLUG_CHARS && !name.includes('\u{fffd}') && !name.startsWith('.')

const pluginIn = (reader: TreeReader, folder: string, slug: string): NamedExtension | null => {
  const files = reader
    .entries(folder)
    .flatMap(({ name, isFile }) => (isFile && name.endsWith('.php') ? [name] : []))
  // Most often it is called like its folder.
  const usual = `${slug}.php`
  const others = files.filter((name) => name !== usual)
  for (const name of [...(files.includes(usual) ? [usual] : []), ...others].slice(0, MAX_HEADS)) {
    const head = readExtensionHead(reader.head(`${folder}/${name}`) ?? '', 'Plugin Name')
    if (head !== null) return { slug, ...head }
  }
  return null
}

const fileOf = (reader: TreeReader, path: string, slug: string): NamedExtension | null => {
  const head = slug.endsWith('.php')
    ? readExtensionHead(reader.head(path) ?? '', 'Plugin Name')
    : null
  return head && { slug, ...head }
}

const pluginsOf = (reader: TreeReader): NamedExtension[] => {
  const directory = 'wp-content/plugins'
  const found: NamedExtension[] = []
  for (const { name, isFile } of reader.entries(directory)) {
    if (found.length >= MAX_EXTENSIONS) break
    if (!isSlug(name)) continue
    const path = `${directory}/${name}`
    const plugin = isFile ? fileOf(reader, path, name) : pluginIn(reader, path, name)
    if (plugin !== null) found.push(plugin)
  }
  return found
}

const themesOf = (reader: TreeReader): NamedExtension[] => {
  const directory = 'wp-content/themes'
  const found: NamedExtension[] = []
  for (const { name, isFile } of reader.entries(directory)) {
    if (found.length >= MAX_EXTENSIONS) break
    if (isFile || !isSlug(name)) continue
    const style = reader.head(`${directory}/${name}/style.css`)
    const head = style === null ? null : readExtensionHead(style, 'Theme Name')
    if (head !== null) found.push({ slug: name, ...head })
  }
  return found
}

/** Plugins and themes in the usual places of a WordPress, from the heads of their files; nothing of theirs is run. */
export const extensionsOf = (
  reader: TreeReader,
): { plugins: NamedExtension[]; themes: NamedExtension[] } => ({
  plugins: pluginsOf(reader),
  themes: themesOf(reader),
})

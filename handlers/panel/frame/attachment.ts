/** RFC 6266, of a path: a plain name for old clients, the real one for all others. */
export const attachment = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

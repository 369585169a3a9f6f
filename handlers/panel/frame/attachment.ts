/** RFC 6266, of a path: a plain name for old clients, and where that is another one the real one for all others. */
export const attachment = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** Headers of a file that is saved and never shown; `sizeBytes` null: nobody knows before its end. */
export const downloadHeaders = (
  filename: string,
  mediaType: string,
  sizeBytes: number | null = null,
): Headers =>
  new Headers({
    'content-type': mediaType,
    'content-disposition': attachment(filename),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(sizeBytes === null ? {} : { 'content-length': String(sizeBytes) }),
  })

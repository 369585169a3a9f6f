const PICTURES: Record<string, string> = {
  apng: 'image/apng',
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
}

/** Lower-case extension without dot; '' for none and for names that begin with their only dot. */
export const extensionOf = (name: string): string =>
  name.lastIndexOf('.') > 0 ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : ''

/** Media type of a picture that browsers show, else null. */
export const pictureType = (name: string): string | null => PICTURES[extensionOf(name)] ?? null

/** Whether the panel can take it out. */
export const isArchive = (name: string): boolean => /\.(tar|tar\.gz|tgz|zip)$/i.test(name)

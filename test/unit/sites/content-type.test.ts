import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contentTypeOf } from '#handlers/sites/responses/content-type.ts'

/** Debian's list (package media-types). */
const listed = new Map(
  readFileSync('/etc/mime.types', 'utf8')
    .split('\n')
    .filter((line) => /^[a-z]/.test(line))
    .flatMap((line) => {
      const [type = '', ...endings] = line.split(/\s+/)
      return endings.filter(Boolean).map((ending) => [ending, type] as const)
    }),
)

test('no file that sites commonly have goes out as mere bytes', () => {
  const common =
    'html css js mjs json xml txt md csv ico svg png jpg jpeg gif webp avif bmp tif woff woff2 ttf otf eot pdf rtf ' +
    'doc docx xls xlsx ppt pptx odt ods odp odg epub zip gz bz2 xz tar 7z rar mp3 m4a ogg oga opus wav flac ' +
    'mp4 m4v webm ogv avi mov mkv wmv flv m3u8 mpg ts kml kmz gpx ics vcf atom rss wasm apk deb iso torrent map webmanifest'
  const unknown = common.split(' ').filter((one) => /octet-stream/.test(contentTypeOf(`a.${one}`)))
  expect(unknown).toEqual([])
})

test('a type that Debian lists too is of the same kind there', () => {
  const kind = (type: string): string => type.split('/')[0] ?? ''
  const odd = [...listed].filter(([ending, type]) => {
    const ours = contentTypeOf(`a.${ending}`).split(';')[0] ?? ''
    return ours !== 'application/octet-stream' && kind(ours) !== kind(type)
  })
  // IANA has them elsewhere, or has two.
  const known = '3mf asf coffee cpt dot man me mml mpf ms mts pls ts xml'.split(' ')
  expect(odd.map(([ending]) => ending).filter((one) => !known.includes(one))).toEqual([])
})

test('endings count in any case, and only the last one', () => {
  expect(contentTypeOf('FAVICON.ICO')).toBe('image/x-icon')
  expect(contentTypeOf('a.docx.html')).toBe('text/html; charset=utf-8')
  expect(contentTypeOf('docx')).toBe('application/octet-stream')
})

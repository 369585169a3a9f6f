import { FieldList } from '../../../messages/field-list.ts'
import type { Field } from '../../../messages/quick-headers.ts'

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/**
 * Fields of a header block that the strict parser has accepted, as `QuickHeaders` takes
 * them: `block` runs from the request line's CR LF to the empty line.
 */
export const fieldsOfBlock = (block: string): readonly Field[] => {
  const list = new FieldList()
  const end = block.length - 2
  for (let at = 2; at < end;) {
    const colon = block.indexOf(':', at)
    const lineEnd = block.indexOf('\r\n', colon)
    let from = colon + 1
    let to = lineEnd
    while (from < to && isBlank(block.charCodeAt(from))) from++
    while (to > from && isBlank(block.charCodeAt(to - 1))) to--
    list.add(block.slice(at, colon).toLowerCase(), block.slice(from, to))
    at = lineEnd + 2
  }
  return list.fields
}

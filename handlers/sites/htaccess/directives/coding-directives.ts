import { DirectiveError } from './directive-error.ts'
import type { DirectiveReader } from './directive-types.ts'

const COMPRESSING = new Set(['deflate', 'brotli_compress'])

/** Whether a list of filters (`DEFLATE`, `INCLUDES;DEFLATE`) compresses. */
const compresses = (filters: string): boolean =>
  filters.split(';').some((filter) => COMPRESSING.has(filter.trim().toLowerCase()))

/**
 * mod_deflate, mod_brotli and mod_filter: what is compressed beside the text that
 * always is. Filters that do something else are not there, as if their modules were not.
 */
export const CODING_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  addoutputfilterbytype: ([filters, ...types]) => {
    if (filters === undefined || types.length === 0) {
      throw new DirectiveError('AddOutputFilterByType needs a filter and media types')
    }
    if (!compresses(filters)) return null
    return ({ coded }) => {
      for (const type of types) coded.types.add(type.toLowerCase())
    }
  },
  addoutputfilter: ([filters, ...extensions]) => {
    if (filters === undefined || extensions.length === 0) {
      throw new DirectiveError('AddOutputFilter needs a filter and extensions')
    }
    if (!compresses(filters)) return null
    return ({ coded }) => {
      for (const one of extensions) coded.extensions.add(one.replace(/^\./, '').toLowerCase())
    }
  },
  setoutputfilter:
    ([filters = '']) =>
    ({ coded }) => {
      coded.all = compresses(filters)
    },
}

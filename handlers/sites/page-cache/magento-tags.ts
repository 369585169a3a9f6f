/** Tags that a pattern may name, beyond which it is not read. */
const MAX_TAGS = 200
/** Of one tag, as Magento writes it around each. */
const [BEFORE, AFTER] = ['((^|,)', '(,|$))']
const TAG = /^[\w.-]{1,128}$/

/**
 * Tags that `X-Magento-Tags-Pattern` of a PURGE means, e.g. `((^|,)cat_p_1(,|$))|((^|,)cms_b(,|$))`:
 * an expression over a page's `X-Magento-Tags`, which is never run. Null where it is
 * written in any other way (`.*`), or names more than 200: then everything may be meant.
 */
export const magentoTags = (pattern: string): string[] | null => {
  const tags = new Set<string>()
  for (let at = 0; ; at++) {
    if (!pattern.startsWith(BEFORE, at)) return null
    const end = pattern.indexOf(AFTER, at)
    const tag = pattern.slice(at + BEFORE.length, end)
    if (end === -1 || !TAG.test(tag)) return null
    tags.add(tag)
    if (tags.size > MAX_TAGS) return null
    at = end + AFTER.length
    if (at === pattern.length) return [...tags]
    if (pattern[at] !== '|') return null
  }
}

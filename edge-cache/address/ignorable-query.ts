const nameOf = (parameter: string): string => {
  const name = (parameter.split('=', 1)[0] ?? '').replaceAll('+', ' ')
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** What plugins of LiteSpeed's cache do by a query: whatever a list says, it must reach them. */
const PLUGIN_ACTIONS = new Set(['LSCWP_CTRL', 'lsesi', 'litespeed_guest', 'litespeed_guest_off'])

/**
 * Whether a URL has a query of nothing but parameters on the list (names, a final
 * `*` is a prefix; case counts). Such a request is answered as if it had none.
 * False without a query, and always with an empty list.
 */
export const hasIgnorableQuery = (url: string, list: readonly string[]): boolean => {
  const mark = url.indexOf('?')
  if (mark === -1 || list.length === 0) return false
  return url
    .slice(mark + 1)
    .split('&')
    .filter((parameter) => parameter !== '')
    .every((parameter) => {
      const name = nameOf(parameter)
      if (PLUGIN_ACTIONS.has(name)) return false
      return list.some((wanted) =>
        wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted,
      )
    })
}

/** The URL up to its query. */
export const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url

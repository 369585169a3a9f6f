const NAMES: readonly string[] = ['account', 'site', 'user', 'token']
/** Numbers of what the entry names as well. */
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  id: NAMES,
  account_id: ['account'],
}

/**
 * What an entry of the audit log concerns, for people: `shop · shop-20260101-030000.tar.gz`
 * of `id=3 filename=… account=shop`. Names come first; a number whose name is known is
 * left out, and one that has none (an old entry) keeps its field.
 */
export const auditTarget = (target: string): string => {
  const fields = target
    .split(/ (?=\w+=)/)
    .filter((part) => part !== '')
    .map((part): [string, string] => {
      const at = part.indexOf('=')
      return at === -1 ? ['', part] : [part.slice(0, at), part.slice(at + 1).replaceAll('%20', ' ')]
    })
  const has = (name: string) => fields.some(([field]) => field === name)
  const shown = fields.filter(([name]) => !(NUMBERS[name] ?? []).some(has))
  const first = shown.filter(([name]) => NAMES.includes(name))
  const rest = shown.filter(([name]) => !NAMES.includes(name))
  const values = [...first, ...rest].map(([name, value]) =>
    Object.hasOwn(NUMBERS, name) ? `${name}=${value}` : value,
  )
  return [...new Set(values)].join(' · ')
}

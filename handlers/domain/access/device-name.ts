/** Programs by what their `User-Agent` holds; the first that fits, since each names its ancestors too. */
const PROGRAMS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Vivaldi/', 'Vivaldi'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chromium/', 'Chromium'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
  ['Wget/', 'Wget'],
  ['berth', 'berth'],
] as const

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

const MOST_CHARACTERS = 64

const fitting = (
  userAgent: string,
  names: readonly (readonly [part: string, name: string])[],
): string | undefined => names.find(([part]) => userAgent.includes(part))?.[1]

/**
 * What people call the program behind a `User-Agent`: `Firefox, Linux`. Programs that no list
 * has are shown by their first word, bounded; empty for an empty text. It is what the client
 * says of itself, so nothing but a hint.
 */
export const deviceName = (userAgent: string): string => {
  const program =
    fitting(userAgent, PROGRAMS) ?? (userAgent.split(/[/ ]/, 1)[0] ?? '').slice(0, MOST_CHARACTERS)
  const system = fitting(userAgent, SYSTEMS)
  return system === undefined ? program : `${program}, ${system}`
}

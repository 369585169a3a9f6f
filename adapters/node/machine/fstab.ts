export const FSTAB = '/etc/fstab'

/** Blanks and the like stand in fstab(5) as `\040`. */
const plain = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))

/** Place, type and options of a line; null for a remark and whatever else is none. */
const LINE = /^(\s*[^#\s]\S*\s+)(\S+)(\s+\S+\s+)(\S+)((?:\s.*)?)$/

/** The text with other options in the line of a mount point; null: there is no such line. */
const withOptions = (
  fstab: string,
  mount: string,
  change: (options: string[]) => string[],
): string | null => {
  let found = false
  const lines = fstab.split('\n').map((line) => {
    const [, device, point, type, options, rest] = LINE.exec(line) ?? []
    if (point === undefined || options === undefined || plain(point) !== mount) return line
    found = true
    return `${device}${point}${type}${change(options.split(',')).join(',') || 'defaults'}${rest}`
  })
  return found ? lines.join('\n') : null
}

/** Adds mount options to the line of a mount point in the text of fstab(5); null: there is no such line. */
export const addOptions = (fstab: string, mount: string, added: readonly string[]): string | null =>
  withOptions(fstab, mount, (options) => [
    ...options,
    ...added.filter((one) => !options.includes(one)),
  ])

/** Takes them away again; null: there is no such line. */
export const removeOptions = (
  fstab: string,
  mount: string,
  removed: readonly string[],
): string | null =>
  withOptions(fstab, mount, (options) => options.filter((one) => !removed.includes(one)))

/** Those of ext4 and XFS by which the kernel keeps users to quotas, or counts for them (mount(8)). */
const OF_QUOTAS = /^(?:usrquota|quota|uquota|uqnoenforce|qnoenforce|usrjquota=.+)$/

/** Whether the line of a mount point asks for user quotas, from the next mount on at the latest. */
export const asksForQuotas = (fstab: string, mount: string): boolean => {
  let asks = false
  withOptions(fstab, mount, (options) => {
    asks ||= options.some((one) => OF_QUOTAS.test(one))
    return options
  })
  return asks
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Bytes for people, e.g. `1.5 MB` for 1,500,000; null is unknown. */
export const formatBytes = (bytes: number | null): string => {
  if (bytes === null) return '-'
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** A duration for people, e.g. `3 d 4 h`, `12 min`, `8 s`. */
export const formatSecs = (secs: number): string => {
  const [days, hours, minutes] = [secs / 86_400, (secs / 3600) % 24, (secs / 60) % 60].map(
    Math.floor,
  )
  if (days) return `${days} d ${hours} h`
  if (hours) return `${hours} h ${minutes} min`
  return minutes ? `${minutes} min` : `${Math.floor(secs)} s`
}

/** A share for people: 0.9731 is `97.3 %`. */
export const formatShare = (share: number): string => `${(share * 100).toFixed(1)} %`

/** How many there are: `1 file`, `2 files`. */
export const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`

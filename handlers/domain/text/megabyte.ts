/**
 * Bytes of a megabyte of files, disks and traffic, everywhere in API, quotas, screens and texts: a
 * thousand kilobytes, as disks and plans are sold. Memory is counted in mebibytes, as kernels and PHP do.
 */
export const MEGABYTE = 1_000_000

/** Whole megabytes in words, e.g. `4812 MB`; `round` for what is not to be less than it is. */
export const inMegabytes = (bytes: number, round: (value: number) => number = Math.floor): string =>
  `${round(bytes / MEGABYTE)} MB`

/** Bytes of a mebibyte, in which memory is counted. */
export const MEBIBYTE = 2 ** 20

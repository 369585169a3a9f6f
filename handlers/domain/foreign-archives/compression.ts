import type { Compression } from './foreign-account.ts'

/** How a file is compressed, by its name; plain where that says nothing. */
export const compressionOf = (name: string): Compression =>
  name.endsWith('.zst') ? 'zstd' : name.endsWith('.gz') ? 'gzip' : 'none'

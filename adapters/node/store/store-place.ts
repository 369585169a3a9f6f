import type { StoreFiles } from './postgres/connection-of.ts'

/** Where a store is: a SQLite file, or the URL of a PostgreSQL database with its files. */
export type StorePlace = { file: string } | { url: string; files?: StoreFiles }

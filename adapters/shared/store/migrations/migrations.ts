import { FROM_THIRTY_FIVE } from './from-thirty-five.ts'
import { FROM_TWENTY } from './from-twenty.ts'
import type { Migration } from './migration.ts'
import { ONE_TO_NINE } from './one-to-nine.ts'
import { TEN_TO_NINETEEN } from './ten-to-nineteen.ts'

export type { Migration } from './migration.ts'

/** All versions of the schema, in their order. */
export const MIGRATIONS: readonly Migration[] = [
  ...ONE_TO_NINE,
  ...TEN_TO_NINETEEN,
  ...FROM_TWENTY,
  ...FROM_THIRTY_FIVE,
]

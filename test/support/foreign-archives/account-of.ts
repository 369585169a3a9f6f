/** What the archives of all panels in these tests hold: one shop with a blog beside it. */
export interface AccountOf {
  username: string
  /** Of its database user with the same name as its database; default: that of "secret". */
  hash?: string
  certificate: { key: string; certificate: string; chain: string }
}

export const PAGE = '<?php echo "shop";'
export const DUMP_END = '-- Dump completed on 2026-11-01  3:00:00\n'

/** A dump as the newest clients of MariaDB write it. */
export const dumpOf = (table: string): string =>
  `/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19\nCREATE TABLE \`${table}\` (id int);\nINSERT INTO \`${table}\` VALUES (1),(2);\n${DUMP_END}`

/** The native hash of the password "secret". */
export const NATIVE_HASH = '*14E65567ABDB5135D0CFD9A70B3032C179A49EE7'

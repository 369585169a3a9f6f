import type { z } from 'zod'
import { SECTION_SCHEMAS } from './sections.ts'
import { VIRTUAL_HOST_SCHEMA } from './virtual-host.ts'

export { SECTION_SCHEMAS, VIRTUAL_HOST_SCHEMA }

/** Sections that are there once; virtual hosts, targets and webhooks are lists. */
export type SectionName = Exclude<keyof typeof SECTION_SCHEMAS, 'include'>
/** A virtual host as it is written, before defaults and absolute paths. */
export type RawVirtualHost = z.output<typeof VIRTUAL_HOST_SCHEMA>

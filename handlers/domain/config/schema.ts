import type { z } from 'zod'
import { SECTION_SCHEMAS } from './sections.ts'
import { VIRTUAL_HOST_SCHEMA } from './virtual-host.ts'

export { SECTION_SCHEMAS, VIRTUAL_HOST_SCHEMA }

export type SectionName = Exclude<keyof typeof SECTION_SCHEMAS, 'include'>
export type RawVirtualHost = z.output<typeof VIRTUAL_HOST_SCHEMA>

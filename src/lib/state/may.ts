import { page } from '$app/state'
import { reaches, type Level } from '#handlers/domain/access/member-role.ts'
import type { Me } from '$lib/api/types'

/** Whether who looks at the page may do something of this level in the account; the API decides again. */
export const may = (level: Level): boolean => {
  const me = page.data['me'] as Me | null | undefined
  return me?.member === undefined || reaches(me.member, level)
}

import { redirect } from '@sveltejs/kit'
import type { Account } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:accounts')
  const { me } = await event.parent()
  if (me.role !== 'admin') redirect(303, '/')
  return { accounts: await readApi<Account[]>(event, '/api/accounts') }
}

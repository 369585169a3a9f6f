import { redirect } from '@sveltejs/kit'
import { nextPath } from '$lib/format/next-path'
import { enter, formText } from '$lib/server/enter'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  if (await event.locals.panel.setupOpen()) redirect(303, '/setup')
  const me = await event.fetch('/api/auth/me')
  if (me.ok) redirect(303, nextPath(event.url.searchParams.get('next')))
}

export const actions: Actions = {
  default: async (event) => {
    const form = await event.request.formData()
    const refused = await enter(event, '/api/auth/login', {
      username: formText(form, 'username').trim(),
      password: formText(form, 'password'),
      ...(form.has('totp') ? { totp: formText(form, 'totp').trim() } : {}),
    })
    if (refused) return refused
    redirect(303, nextPath(event.url.searchParams.get('next')))
  },
}

import { fail, redirect } from '@sveltejs/kit'
import { enter, formText } from '$lib/server/enter'
import { texts } from '$lib/texts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  if (!(await event.locals.panel.setupOpen())) redirect(303, '/')
  return { needsToken: event.locals.panel.setupNeedsToken }
}

export const actions: Actions = {
  default: async (event) => {
    const form = await event.request.formData()
    const username = formText(form, 'username').trim()
    const password = formText(form, 'password')
    if (password !== formText(form, 'password_confirmation')) {
      const error = texts.password.mismatch
      return fail(400, { error, field: 'password_confirmation', username })
    }
    const token = formText(form, 'setup_token').trim()
    const refused = await enter(event, '/api/auth/setup', {
      username,
      password,
      ...(token === '' ? {} : { setup_token: token }),
    })
    if (refused) return refused
    redirect(303, '/')
  },
}

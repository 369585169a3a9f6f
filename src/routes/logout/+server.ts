import { redirect, type RequestHandler } from '@sveltejs/kit'

/** Ends the session; a plain form post, so that logging out works in every state of the page. */
export const POST: RequestHandler = async (event) => {
  await event.fetch('/api/auth/logout', {
    method: 'POST',
    headers: { 'X-Requested-With': 'berth' },
  })
  event.cookies.delete('panel_token', {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: event.url.protocol === 'https:',
  })
  redirect(303, '/login')
}

import { serverLine, serverOf } from '#handlers/domain/site-settings/backends/server-line.ts'
import type { SiteBackend } from '$lib/api/types'
import { linesOf } from '$lib/format/lines'

/** What answers that is no application. */
export const SERVERS = ''

/** A backend as one types it; `application` is `SERVERS` where servers answer. */
export const backendForm = (backend: SiteBackend | null, application: string = SERVERS) => ({
  path: backend?.path ?? '',
  application: backend ? (backend.application ?? SERVERS) : application,
  servers: backend?.servers.map(serverLine).join('\n') ?? '',
  replace_prefix: backend?.replace_prefix ?? '',
  health_path: backend?.health_path ?? '',
  internal: backend?.internal ?? false,
  preserve_host: backend?.preserve_host ?? false,
  websocket: backend?.websocket ?? true,
  verify_tls: backend?.verify_tls ?? true,
})

const filled = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The same as `PUT /api/domains/:id/backends` takes it. */
export const backendBody = (form: ReturnType<typeof backendForm>) => {
  const { application, websocket } = form
  const place = { path: form.path.trim(), replace_prefix: filled(form.replace_prefix), websocket }
  if (application !== SERVERS) return { ...place, application }
  return {
    ...place,
    servers: linesOf(form.servers)
      .map(serverOf)
      .filter((server) => server !== null),
    health_path: filled(form.health_path),
    internal: form.internal,
    preserve_host: form.preserve_host,
    verify_tls: form.verify_tls,
  }
}

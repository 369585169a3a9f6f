import { expect, test } from 'vitest'
import type { MakeApiInstance } from './api-instance.ts'
import { accountClient, createAccount } from './api-instance.ts'
import { apiGroup } from './api-suite.ts'
import { publishedDocument } from './openapi-check.ts'

/** `/api/openapi.json` and `/api/docs`. */
export const documentContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('document', makeInstance, (shared) => {
    const get = (path: string, token = shared.admin.token) =>
      shared.instance.fetch(path, { headers: { authorization: `Bearer ${token}` } })

    test('is the same on every runtime and for every user', async () => {
      const response = await get('/api/openapi.json')
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual(await publishedDocument())
      await createAccount(shared.admin, 'alice')
      const { token } = await accountClient(shared.instance, 'alice')
      expect((await get('/api/openapi.json', token)).status).toBe(200)
    })

    test('is a page without scripts that loads nothing', async () => {
      const response = await get('/api/docs')
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      const page = await response.text()
      const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? ''
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
      expect(policy).toContain(`'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`)
      expect(page).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\sstyle=|javascript:/i)
      expect(page).not.toMatch(/(?:src|href)="(?!#|\/api\/)/)
    })

    test('the page shows every operation, with a call to copy', async () => {
      const page = await (await get('/api/docs')).text()
      const { paths } = await publishedDocument()
      for (const operations of Object.values(paths)) {
        for (const { operationId } of Object.values(operations)) {
          expect(page).toContain(`<section id="${operationId}">`)
          expect(page).toContain(`href="#${operationId}"`)
        }
      }
      expect(page.split('<pre>curl').length - 1).toBe(
        Object.values(paths).flatMap((operations) => Object.keys(operations)).length,
      )
    })
  })
}

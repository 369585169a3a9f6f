import { afterAll, beforeAll, beforeEach } from 'vitest'
import { restoreStaticWeb, startStaticWeb } from './static-web.ts'
import { startWeb, type WebOptions, type WebProcess } from './web-process.ts'

/** The web server that all tests of a file share. Vitest loads this module anew for each file. */
export let web: WebProcess

/** Starts it before the tests and removes it after them; options that other hooks make come from a function. */
export const shareWeb = (options: WebOptions | (() => WebOptions) = {}): void => {
  beforeAll(async () => {
    web = await startWeb(typeof options === 'function' ? options() : options)
  })
  afterAll(() => web?.remove())
}

/** The same with one static site, which each test finds as it was in the beginning. */
export const shareStaticWeb = (): void => {
  beforeAll(async () => {
    web = await startStaticWeb()
  })
  beforeEach(() => restoreStaticWeb(web))
  afterAll(() => web?.remove())
}

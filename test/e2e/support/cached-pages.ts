import { expect } from 'vitest'
import type { Instance } from '#test/support/instance-types.ts'

/** Looks at pages of sites through the page cache, as visitors without cookies get them. */
export const cachedPages = (instance: () => Instance) => ({
  /** Asks for pages until each comes from the page cache. */
  async stored(host: string, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const state = async () => (await instance().site(host, path)).headers['x-cache']
      await expect.poll(state, { message: path }).toBe('HIT')
    }
  },
  /** Nothing of what was stored before is answered: each page is made again, and says `text`. */
  async madeAnew(host: string, paths: readonly string[], text: string): Promise<void> {
    for (const path of paths) {
      const { status, headers, text: page } = await instance().site(host, path)
      expect([path, status, headers['x-cache']]).toEqual([path, 200, 'MISS'])
      expect(page).toContain(text)
    }
  },
})

/**
 * PHP that visits pages in the middle of what is done to a site, twice each, so that the page cache
 * has what is there at that moment, and keeps in a file of the site what it got.
 */
export const visitInside = (
  { webPort }: Pick<Instance, 'webPort'>,
  host: string,
  paths: readonly string[],
  file: string,
): string => `
  foreach (${JSON.stringify([...paths, ...paths])} as $path) {
    $sent = stream_context_create(['http' => ['header' => 'Host: ${host}', 'ignore_errors' => true]]);
    $page = file_get_contents("http://127.0.0.1:${webPort}$path", false, $sent);
    file_put_contents(ABSPATH . '${file}', implode("\n", $http_response_header) . "\n$page", FILE_APPEND);
  }`

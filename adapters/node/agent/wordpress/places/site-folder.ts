import { placeholderPage } from '#handlers/domain/domains/placeholder-page.ts'
import { conflict, isAppError } from '#handlers/errors.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import type { AccountSite } from './sites-of.ts'
import { textOf } from './text-of.ts'

/** What the panel itself keeps in a document root. */
const OURS = new Set(['.well-known'])
const PLACEHOLDER = 'index.html'

/** What is done with the folders that a WordPress comes into; by the account's own helper. */
export interface SiteFolder {
  /** Null where there is no such folder. */
  namesIn(username: string, path: string): Promise<string[] | null>
  /** Gone already is fine. */
  remove(username: string, path: string): Promise<void>
  /** 409 where something is in the way; answers whether the placeholder page is there. */
  judge(username: string, path: string, site: AccountSite): Promise<boolean>
  removePage(username: string, path: string): Promise<void>
  putPage(username: string, path: string, site: AccountSite): Promise<void>
  /** Removes it where nothing but the placeholder page is in it. */
  removeEmpty(username: string, path: string, site: AccountSite | null): Promise<void>
}

const isGone = (error: unknown): boolean => isAppError(error) && error.status === 404

export const createSiteFolder = (
  files: Pick<FilesPort, 'list' | 'read' | 'write' | 'delete'>,
): SiteFolder => {
  const namesIn: SiteFolder['namesIn'] = async (username, path) => {
    try {
      return (await files.list({ username, path })).map(({ name }) => name)
    } catch (error) {
      if (isGone(error)) return null
      throw error
    }
  }
  const isPlaceholder = async (username: string, path: string, site: AccountSite) => {
    const text = await textOf(files, { username, path })
    return text === placeholderPage(site.domain) || text === placeholderPage(site.domain, site.root)
  }
  const remove: SiteFolder['remove'] = async (username, path) => {
    try {
      await files.delete({ username, path })
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
  return {
    namesIn,
    remove,
    async judge(username, path, site) {
      const names = (await namesIn(username, path)) ?? []
      const other = names.find((name) => !OURS.has(name) && name !== PLACEHOLDER)
      const hasPage = names.includes(PLACEHOLDER)
      if (
        other !== undefined ||
        (hasPage && !(await isPlaceholder(username, `${path}/${PLACEHOLDER}`, site)))
      )
        throw conflict(
          `The folder "${path}" holds "${other ?? PLACEHOLDER}". Install into an empty folder, or move that away first.`,
        )
      return hasPage
    },
    removePage: (username, path) => remove(username, `${path}/${PLACEHOLDER}`),
    async putPage(username, path, site) {
      const content = placeholderPage(site.domain, site.root)
      await files.write({
        ...{ username, content },
        path: `${path}/${PLACEHOLDER}`,
        encoding: 'utf8',
      })
    },
    async removeEmpty(username, path, site) {
      const names = await namesIn(username, path)
      const isEmpty =
        names?.length === 0 ||
        (names?.length === 1 &&
          names[0] === PLACEHOLDER &&
          site !== null &&
          (await isPlaceholder(username, `${path}/${PLACEHOLDER}`, site)))
      if (isEmpty) await remove(username, path)
    },
  }
}

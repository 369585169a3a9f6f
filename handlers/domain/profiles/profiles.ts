import type { ApplicationName } from './applications.ts'
import { dokuwiki, mediawiki, phpbb } from './communities.ts'
import { drupal, joomla, typo3 } from './content.ts'
import { cakephp, laravel, symfony } from './frameworks.ts'
import type { Profile } from './profile.ts'
import { magento, opencart, prestashop } from './shops.ts'
import { nextcloud, phpmyadmin, roundcube } from './tools.ts'
import { wordpress } from './wordpress.ts'

/** By name, in the order in which they are looked for: what is made with a framework comes before the framework. */
export const PROFILES: Readonly<Record<ApplicationName, Profile>> = {
  wordpress,
  joomla,
  drupal,
  typo3,
  prestashop,
  magento,
  opencart,
  mediawiki,
  dokuwiki,
  phpbb,
  nextcloud,
  roundcube,
  phpmyadmin,
  laravel,
  symfony,
  cakephp,
}

/** The profile of that name; null for names that there are none of, such as `none`. */
export const profileOf = (name: string): Profile | null =>
  Object.values(PROFILES).find((profile) => profile.name === name) ?? null

/** Profiles of applications that tell of their scheduled tasks themselves. */
const told = new Map(
  Object.values(PROFILES).map((profile): [Profile, Profile] => {
    const requests = profile.requests.filter(({ effect }) => effect !== 'later')
    return [profile, { ...profile, requests }]
  }),
)

/**
 * Which application a document root holds; null: none that is known. `fileExists` is
 * asked for paths below the document root, or with `../` ahead of the directory it
 * lies in, each at most once. Rejects with it.
 */
export const recognise = async (
  fileExists: (relativePath: string) => Promise<boolean>,
): Promise<Profile | null> => {
  const known = new Map<string, Promise<boolean>>()
  const exists = (path: string): Promise<boolean> => {
    let answer = known.get(path)
    if (answer === undefined) known.set(path, (answer = fileExists(path)))
    return answer
  }
  const holdsAll = async (files: readonly string[]): Promise<boolean> => {
    for (const file of files) if (!(await exists(file))) return false
    return true
  }
  for (const profile of Object.values(PROFILES))
    for (const files of profile.markers) {
      if (!(await holdsAll(files))) continue
      for (const file of profile.tellers ?? [])
        if (await exists(file)) return told.get(profile) ?? profile
      return profile
    }
  return null
}

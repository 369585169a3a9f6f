import { readPlainYaml, type PlainYaml } from './plain-yaml.ts'

const textOf = (value: PlainYaml | undefined): string => (typeof value === 'string' ? value : '')
const listOf = (value: PlainYaml | undefined): string[] => (Array.isArray(value) ? value : [])

/** Which names an account of cPanel has, and of which kind. */
export interface UserdataMain {
  mainDomain: string
  /** By name, the hidden subdomain under which the site is kept. */
  addonDomains: ReadonlyMap<string, string>
  parkedDomains: readonly string[]
  subDomains: readonly string[]
}

/** `userdata/main`; what is missing is empty. */
export const readUserdataMain = (text: string): UserdataMain => {
  const data = readPlainYaml(text)
  const addons = data.get('addon_domains')
  return {
    mainDomain: textOf(data.get('main_domain')),
    addonDomains: addons instanceof Map ? addons : new Map(),
    parkedDomains: listOf(data.get('parked_domains')),
    subDomains: listOf(data.get('sub_domains')),
  }
}

/** One virtual host; texts are empty where they are missing. */
export interface UserdataHost {
  documentRoot: string
  /** Separated by blanks. */
  serverAlias: string
  phpVersion: string
}

/** `userdata/<name>`. */
export const readUserdataHost = (text: string): UserdataHost => {
  const data = readPlainYaml(text)
  return {
    documentRoot: textOf(data.get('documentroot')),
    serverAlias: textOf(data.get('serveralias')),
    phpVersion: textOf(data.get('phpversion')),
  }
}

import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isCertificateVersion } from '#handlers/domain/certificates/certificate-version.ts'
import { siteFileName } from '#handlers/domain/domains/wildcard-name.ts'
import { invalid } from '#handlers/errors.ts'
import type { CertificateFiles as Paths } from '#handlers/ports/host/certificates.ts'
import { codeOf } from '../../layout/error-code.ts'

/** PEM texts of one version. */
export interface PairTexts {
  leaf: string
  chain: string
  key: string
}

/**
 * The certificate directory: `<directory>/<siteFileName>/<version>/{certificate,key,chain}.pem`.
 * A version is written once and never changed, so key and certificate always
 * belong together; which one is served is said by the virtual host alone.
 */
export interface CertificateFiles {
  write(domain: string, version: string, texts: PairTexts): Promise<Paths>
  /** Versions of the domain that are there. */
  versions(domain: string): Promise<string[]>
  /** The certificate of a version with its chain, PEM; null where it is not there. */
  read(domain: string, version: string): Promise<string | null>
  /** The key of a version, PEM; null where it is not there. */
  readKey(domain: string, version: string): Promise<string | null>
  remove(domain: string, version: string): Promise<void>
}

const unless = (codes: readonly string[]) => (error: unknown) => {
  if (!codes.includes(codeOf(error))) throw error
}

/** `webGid` may read; null in rootless mode. Directories are 0750, files 0640. */
export const createCertificateFiles = (
  directory: string,
  webGid: number | null,
): CertificateFiles => {
  /** A machine may say what a version is called, and all that lies at such a place is removed. */
  const placeOf = (domain: string, version: string): string => {
    if (!isCertificateVersion(version))
      throw invalid('version', 'version is not that of a certificate.')
    return join(directory, siteFileName(domain), version)
  }
  const makeDirectory = async (path: string): Promise<void> => {
    await mkdir(path, { recursive: true, mode: 0o750 })
    if (webGid !== null) await chown(path, 0, webGid)
    await chmod(path, 0o750)
  }
  const writeFile = async (path: string, text: string): Promise<void> => {
    const handle = await open(path, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      if (webGid !== null) await handle.chown(0, webGid)
      await handle.chmod(0o640)
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  const readText = async (domain: string, version: string, name: string) => {
    try {
      return await readFile(join(placeOf(domain, version), name), 'utf8')
    } catch (error) {
      unless(['ENOENT'])(error)
      return null
    }
  }
  return {
    async write(domain, version, { leaf, chain, key }) {
      const place = placeOf(domain, version)
      const temporary = join(directory, siteFileName(domain), `.${version}.new`)
      await makeDirectory(directory)
      await makeDirectory(join(directory, siteFileName(domain)))
      await rm(temporary, { recursive: true, force: true })
      await makeDirectory(temporary)
      await writeFile(join(temporary, 'certificate.pem'), leaf + chain)
      await writeFile(join(temporary, 'key.pem'), key)
      await writeFile(join(temporary, 'chain.pem'), chain)
      await rm(place, { recursive: true, force: true })
      await rename(temporary, place)
      return {
        certificate: join(place, 'certificate.pem'),
        key: join(place, 'key.pem'),
        chain: join(place, 'chain.pem'),
      }
    },
    async versions(domain) {
      try {
        return await readdir(join(directory, siteFileName(domain)))
      } catch (error) {
        unless(['ENOENT'])(error)
        return []
      }
    },
    read: (domain, version) => readText(domain, version, 'certificate.pem'),
    readKey: (domain, version) => readText(domain, version, 'key.pem'),
    async remove(domain, version) {
      await rm(placeOf(domain, version), { recursive: true, force: true })
      await rmdir(join(directory, siteFileName(domain))).catch(
        unless(['ENOENT', 'ENOTEMPTY', 'EEXIST']),
      )
    },
  }
}

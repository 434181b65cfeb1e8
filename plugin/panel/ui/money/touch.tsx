import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ActionRequest } from '../../../protocol/actions.ts'
import { Button } from '../controls/button.tsx'
import { usePanel } from '../state/panel-context.ts'

const rp = { id: 'localhost', name: 'spritewright' }

/** Whether this page may use an authenticator: browsers want a name, and the panel's name is `localhost`. */
export function isAtLocalhost(): boolean {
  return location.hostname === rp.id
}

/**
 * Asks the person to touch an authenticator.
 *
 * @throws the browser's error if the person cancels, or has none of the credentials.
 */
export async function askTouch(challenge: string, credentials: readonly string[]): Promise<ActionRequest<'touch'>> {
  const got = await navigator.credentials.get({
    publicKey: {
      challenge: toBytes(challenge),
      rpId: rp.id,
      allowCredentials: credentials.map((id) => ({ type: 'public-key', id: toBytes(id) })),
      userVerification: 'required',
    },
  })
  const { rawId, response } = got as PublicKeyCredential
  const { authenticatorData, clientDataJSON, signature } = response as AuthenticatorAssertionResponse
  return {
    credential: toText(rawId),
    authenticatorData: toText(authenticatorData),
    clientData: toText(clientDataJSON),
    signature: toText(signature),
  }
}

/** Makes a credential, and shows the command and the word with which a terminal enrols it. */
export function EnrolKey(): VNode {
  const { store } = usePanel()
  const [made, setMade] = useState<{ readonly key: string; readonly word: string }>()
  const enrol = async (): Promise<void> => {
    try {
      const key = await makeKey()
      setMade({ key, word: (await store.api.act('enrol', { key })).word })
    } catch (error) {
      store.say((error as Error).message)
    }
  }
  const begin = (): void => (isAtLocalhost() ? void enrol() : store.api.openAtLocalhost())
  if (!made) return <Button look="quiet" label="Use a security key or fingerprint…" onClick={begin} />
  return (
    <p class="notice stack tight">
      Run this in a terminal, and type the word <strong>{made.word}</strong> there. Then open this dialog again.
      <code class="scroll">npx spritewright trust --touch {made.key}</code>
    </p>
  )
}

async function makeKey(): Promise<string> {
  const random = (): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(32))
  const got = await navigator.credentials.create({
    publicKey: {
      rp,
      challenge: random(),
      user: { id: random(), name: rp.name, displayName: rp.name },
      pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { userVerification: 'required', residentKey: 'discouraged' },
      attestation: 'none',
    },
  })
  const { rawId, response } = got as PublicKeyCredential
  const attested = response as AuthenticatorAttestationResponse
  const alg = attested.getPublicKeyAlgorithm() === -7 ? 'ES256' : 'RS256'
  return `${alg}.${toText(rawId)}.${toText(attested.getPublicKey() ?? new ArrayBuffer(0))}`
}

function toText(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}

import { createBitmap } from '../../../atlas/index.ts'
import { lifeFrames } from '../../../src/contract/life/life.ts'
import { defaultShapes } from '../../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../../src/embedded/images/delivery.ts'
import { otherId } from './held-job.ts'

/** The execution that is bought. */
export const paidId = '11111111-1111-4111-8111-111111111111'

/** The delivery of that execution. */
export const { zip } = await packDelivery(
  Array.from({ length: lifeFrames }, () => createBitmap(4, 4)),
  defaultShapes.names,
)

/** A delivery that lacks its last frame. */
export const { zip: shortZip } = await packDelivery(
  Array.from({ length: lifeFrames - 1 }, () => createBitmap(4, 4)),
  defaultShapes.names,
)

/** The execution as it is read at its end. */
export const executed = {
  execution_id: otherId,
  conversation_id: otherId,
  status: 'completed',
  question: null,
  error: null,
  image_job: {
    public_job_id: otherId,
    status: 'completed',
    finished_assets: [
      { asset_id: otherId, download_url: `/v1/image-jobs/${otherId}/asset`, content_type: 'application/zip', width: 12, height: 12 },
    ],
    sanitized_error: null,
    frame_review: {
      frame_count: lifeFrames,
      background: 'remove',
      kept_background_frames: [],
      inspection_frames: [0],
      source_shifted_frames: [],
    },
  },
}

/** Its events. */
export const events = ['started', 'progress', 'done'].map((event, index) => ({ event, id: String(index + 1), data: `{"n":${index}}` }))

import { codeOf } from '../http/http.ts'
import type { Shapes } from '../http/shapes.ts'
import type { ExecutionRecord } from '../store/records.ts'

/**
 * The body of `GET /v1/executions/{id}`.
 *
 * @param origin Origin that the caller used. `download_url` keeps it, also behind a proxy or on another port
 *   after a restart.
 */
export function viewOf(execution: ExecutionRecord, shapes: Shapes, origin: string): Readonly<Record<string, unknown>> {
  const { id, conversationId, jobId, status, failure, failedAt, delivery, question, followedBy } = execution
  const review = delivery?.review
  return {
    execution_id: id,
    conversation_id: conversationId,
    status,
    image_job: {
      public_job_id: jobId,
      status: shapes.jobStatus(execution),
      finished_assets:
        delivery === null
          ? []
          : [
              {
                asset_id: delivery.assetId,
                download_url: `${origin}/v1/image-jobs/${jobId}/asset`,
                content_type: delivery.contentType,
                width: delivery.width,
                height: delivery.height,
              },
            ],
      sanitized_error:
        failedAt === 'job' && failure !== null ? { code: codeOf(failure.reason), ...failure, request_id: execution.requestId } : null,
      frame_review:
        review === undefined || review === null
          ? null
          : {
              frame_count: review.frameCount,
              background: review.background,
              kept_background_frames: review.keptBackgroundFrames,
              inspection_frames: review.inspectionFrames,
              source_shifted_frames: review.sourceShiftedFrames,
            },
    },
    question:
      question === null || status !== 'needs_input' || followedBy !== null
        ? null
        : { question_id: question.id, text: question.text, requires_asset: question.requiresAsset },
    // Only a failure of admission is shown here. A failure of the job is in `sanitized_error`.
    error: failedAt === 'admission' ? failure : null,
  }
}

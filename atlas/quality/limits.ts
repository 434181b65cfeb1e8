/**
 * Limits above which the quality check reports a fault. `docs/quality.md` explains each limit and its value.
 *
 * "Figure size" is the median over the frames of the geometric mean of the figure's width and height.
 */
export const qualityLimits = {
  /** Share of the figure size by which a whole figure may jump up or down and back. */
  footLine: 0.04,
  /** Share of the figure size by which a whole figure may jump sideways and back. */
  bodyAnchor: 0.05,
  /** Jumps under this size, in pixels, are rounding and not reported. */
  leastShiftPx: 1.5,
  /** Share by which a whole figure may grow or shrink and return. */
  scale: 0.04,
  /** Step from the last frame to the first, as a multiple of the largest other step. */
  loopSeam: 1.15,
  /** Steps of 0 to 255 by which the figure's colours may differ from the colours of the sequence. */
  palette: 6,
  /** If the spread of a frame's colours is below this share of the usual spread, the frame is a flash. */
  flash: 0.67,
  /** Share of the outline that may have a light or key-coloured rim. */
  halo: 0.3,
  /** Share of the canvas's edge that may be covered. */
  background: 0.2,
  /** Two neighbouring frames count as one picture if they differ by at most this share of the usual step. */
  duplicate: 0.08,
  /**
   * For a hard-edged figure with a smaller usual step, in percent, a repeated picture is no fault: a motion
   * of less than a pixel cannot be drawn.
   */
  hardStep: 12,
  /** A frame is blank if its content is below this share of the usual content. */
  blank: 0.02,
  /** A frame beside blank ones is part of a fade if its content is below this share of the usual content. */
  faded: 0.6,
  /** Share of a canvas side that the figure may touch; contacts of fewer pixels do not count. */
  cutOff: 0.03,
  leastContactPx: 3,
} as const

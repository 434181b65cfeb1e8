/**
 * From where on the quality gate speaks. `docs/quality.md` says of each what it means and why it is so high.
 *
 * "Figure size" is the median over the frames of the geometric mean of the figure's width and height.
 */
export const qualityLimits = {
  /** Part of the figure size by which a whole figure may jump up or down and back. */
  footLine: 0.03,
  /** Part of the figure size by which a whole figure may jump aside and back. */
  bodyAnchor: 0.04,
  /** Pixels under which no jump is told: less is rounding. */
  leastShiftPx: 2.5,
  /** Part by which a whole figure may grow or shrink and come back. */
  scale: 0.04,
  /** How many times a usual large step (the third quarter of all) the step from the last frame to the first may be. */
  loopSeam: 1.5,
  /** Steps of 0 to 255 by which the figure's own colours may stand off those of the sequence. */
  palette: 6,
  /** Part of the outline that may have a light or key-coloured rim. */
  halo: 0.3,
  /** Part of the canvas's edge that may be covered. */
  background: 0.2,
  /** Part of the usual step under which two neighbours count as one picture twice. */
  duplicate: 0.08,
  /** Usual step of a hard-edged figure, in percent, under which a held picture is no fault: what moves by less than a pixel cannot be drawn. */
  hardStep: 12,
  /** Part of the usual area under which a frame counts as blank. */
  blank: 0.02,
  /** Part of a canvas side that the figure may touch, and pixels under which a touch does not count. */
  cutOff: 0.03,
  leastContactPx: 3,
} as const

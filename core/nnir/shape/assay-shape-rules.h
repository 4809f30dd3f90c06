/* assay-shape-rules.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/shape/assay-shape.h"

G_BEGIN_DECLS

/* The shape rules that rows of the op table name; a row with `none` has none. */
#define assay_shape_rule_none NULL

void assay_shape_rule_affine_grid (AssayShapeContext *self);
void assay_shape_rule_arg_reduce (AssayShapeContext *self);
void assay_shape_rule_array_feature_extractor (AssayShapeContext *self);
void assay_shape_rule_attention (AssayShapeContext *self);
void assay_shape_rule_axis_map (AssayShapeContext *self);
void assay_shape_rule_batch_normalization (AssayShapeContext *self);
void assay_shape_rule_broadcast (AssayShapeContext *self);
void assay_shape_rule_cast (AssayShapeContext *self);
void assay_shape_rule_cast_like (AssayShapeContext *self);
void assay_shape_rule_cast_map (AssayShapeContext *self);
void assay_shape_rule_category_mapper (AssayShapeContext *self);
void assay_shape_rule_center_crop_pad (AssayShapeContext *self);
void assay_shape_rule_col2im (AssayShapeContext *self);
void assay_shape_rule_compare (AssayShapeContext *self);
void assay_shape_rule_compress (AssayShapeContext *self);
void assay_shape_rule_concat (AssayShapeContext *self);
void assay_shape_rule_concat_from_sequence (AssayShapeContext *self);
void assay_shape_rule_constant (AssayShapeContext *self);
void assay_shape_rule_constant_of_shape (AssayShapeContext *self);
void assay_shape_rule_conv (AssayShapeContext *self);
void assay_shape_rule_conv_transpose (AssayShapeContext *self);
void assay_shape_rule_deform_conv (AssayShapeContext *self);
void assay_shape_rule_depth_to_space (AssayShapeContext *self);
void assay_shape_rule_dequantize_linear (AssayShapeContext *self);
void assay_shape_rule_det (AssayShapeContext *self);
void assay_shape_rule_dft (AssayShapeContext *self);
void assay_shape_rule_dict_vectorizer (AssayShapeContext *self);
void assay_shape_rule_dropout (AssayShapeContext *self);
void assay_shape_rule_dynamic_quantize_linear (AssayShapeContext *self);
void assay_shape_rule_einsum (AssayShapeContext *self);
void assay_shape_rule_expand (AssayShapeContext *self);
void assay_shape_rule_eye_like (AssayShapeContext *self);
void assay_shape_rule_feature_vectorizer (AssayShapeContext *self);
void assay_shape_rule_flatten (AssayShapeContext *self);
void assay_shape_rule_gather (AssayShapeContext *self);
void assay_shape_rule_gather_elements (AssayShapeContext *self);
void assay_shape_rule_gather_nd (AssayShapeContext *self);
void assay_shape_rule_gemm (AssayShapeContext *self);
void assay_shape_rule_global_pool (AssayShapeContext *self);
void assay_shape_rule_gradient (AssayShapeContext *self);
void assay_shape_rule_grid_sample (AssayShapeContext *self);
void assay_shape_rule_identity (AssayShapeContext *self);
void assay_shape_rule_if (AssayShapeContext *self);
void assay_shape_rule_image_decoder (AssayShapeContext *self);
void assay_shape_rule_label_encoder (AssayShapeContext *self);
void assay_shape_rule_layer_normalization (AssayShapeContext *self);
void assay_shape_rule_linear (AssayShapeContext *self);
void assay_shape_rule_linear_classifier (AssayShapeContext *self);
void assay_shape_rule_loop (AssayShapeContext *self);
void assay_shape_rule_matmul (AssayShapeContext *self);
void assay_shape_rule_max_roi_pool (AssayShapeContext *self);
void assay_shape_rule_max_unpool (AssayShapeContext *self);
void assay_shape_rule_mel_weight_matrix (AssayShapeContext *self);
void assay_shape_rule_multinomial (AssayShapeContext *self);
void assay_shape_rule_nll_loss (AssayShapeContext *self);
void assay_shape_rule_non_max_suppression (AssayShapeContext *self);
void assay_shape_rule_non_zero (AssayShapeContext *self);
void assay_shape_rule_normalizer (AssayShapeContext *self);
void assay_shape_rule_one_hot (AssayShapeContext *self);
void assay_shape_rule_one_hot_encoder (AssayShapeContext *self);
void assay_shape_rule_optional (AssayShapeContext *self);
void assay_shape_rule_optional_get_element (AssayShapeContext *self);
void assay_shape_rule_optional_has_element (AssayShapeContext *self);
void assay_shape_rule_p_relu (AssayShapeContext *self);
void assay_shape_rule_pad (AssayShapeContext *self);
void assay_shape_rule_pool (AssayShapeContext *self);
void assay_shape_rule_predicate (AssayShapeContext *self);
void assay_shape_rule_quantize_linear (AssayShapeContext *self);
void assay_shape_rule_random (AssayShapeContext *self);
void assay_shape_rule_random_like (AssayShapeContext *self);
void assay_shape_rule_range (AssayShapeContext *self);
void assay_shape_rule_recurrent (AssayShapeContext *self);
void assay_shape_rule_reduce (AssayShapeContext *self);
void assay_shape_rule_regressor (AssayShapeContext *self);
void assay_shape_rule_reshape (AssayShapeContext *self);
void assay_shape_rule_resize (AssayShapeContext *self);
void assay_shape_rule_rms_normalization (AssayShapeContext *self);
void assay_shape_rule_roi_align (AssayShapeContext *self);
void assay_shape_rule_same (AssayShapeContext *self);
void assay_shape_rule_scan (AssayShapeContext *self);
void assay_shape_rule_sequence_at (AssayShapeContext *self);
void assay_shape_rule_sequence_construct (AssayShapeContext *self);
void assay_shape_rule_sequence_empty (AssayShapeContext *self);
void assay_shape_rule_sequence_erase (AssayShapeContext *self);
void assay_shape_rule_sequence_insert (AssayShapeContext *self);
void assay_shape_rule_sequence_length (AssayShapeContext *self);
void assay_shape_rule_sequence_map (AssayShapeContext *self);
void assay_shape_rule_shape (AssayShapeContext *self);
void assay_shape_rule_size (AssayShapeContext *self);
void assay_shape_rule_slice (AssayShapeContext *self);
void assay_shape_rule_softmax_cross_entropy_loss (AssayShapeContext *self);
void assay_shape_rule_space_to_depth (AssayShapeContext *self);
void assay_shape_rule_split (AssayShapeContext *self);
void assay_shape_rule_split_to_sequence (AssayShapeContext *self);
void assay_shape_rule_squeeze (AssayShapeContext *self);
void assay_shape_rule_stft (AssayShapeContext *self);
void assay_shape_rule_string_normalizer (AssayShapeContext *self);
void assay_shape_rule_string_split (AssayShapeContext *self);
void assay_shape_rule_svm_classifier (AssayShapeContext *self);
void assay_shape_rule_tf_idf_vectorizer (AssayShapeContext *self);
void assay_shape_rule_tile (AssayShapeContext *self);
void assay_shape_rule_top_k (AssayShapeContext *self);
void assay_shape_rule_training_step (AssayShapeContext *self);
void assay_shape_rule_transpose (AssayShapeContext *self);
void assay_shape_rule_tree_classifier (AssayShapeContext *self);
void assay_shape_rule_tree_ensemble (AssayShapeContext *self);
void assay_shape_rule_unique (AssayShapeContext *self);
void assay_shape_rule_unsqueeze (AssayShapeContext *self);
void assay_shape_rule_upsample (AssayShapeContext *self);
void assay_shape_rule_where (AssayShapeContext *self);
void assay_shape_rule_window (AssayShapeContext *self);
void assay_shape_rule_zip_map (AssayShapeContext *self);

G_END_DECLS
